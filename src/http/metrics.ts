import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Counters } from '../app/counters.ts'
import type { Engine } from '../app/engine.ts'
import { knownMethod } from '../telemetry/request-span.ts'
import { measureHost } from './host-metrics.ts'
import { buckets, measureOperations } from './operation-metrics.ts'
import type { RequestQueue } from './request-queue.ts'
import type { App } from './route-context.ts'

/** Prometheus metrics. Labels are route patterns, methods, statuses and fixed words of the program: bounded, never a ref or an id. */
export function measure(app: App, engine: Engine, requestQueue: RequestQueue): void {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry, prefix: 'colophon_' })
  const requests = new Counter({
    name: 'colophon_http_requests_total',
    help: 'Completed requests',
    labelNames: ['method', 'route', 'status'] as const,
    registers,
  })
  const seconds = new Histogram({
    name: 'colophon_http_request_seconds',
    help: 'Time of a request',
    labelNames: ['method', 'route'] as const,
    buckets,
    registers,
  })
  let open = 0
  new Gauge({
    name: 'colophon_http_requests_open',
    help: 'Requests in progress',
    registers,
    collect() {
      this.set(open)
    },
  })
  exportCounters(
    registry,
    'colophon_upkeep_total',
    'What upkeep ended or deleted in this process',
    'what',
    engine.host.upkeepCounters,
  )
  exportCounters(
    registry,
    'colophon_runs_ended_total',
    'Runs that ended in this process',
    'status',
    engine.host.endedRunCounters,
  )
  exportCounters(
    registry,
    'colophon_compactions_total',
    'Compactions that this process stored',
    'kind',
    engine.host.compactionCounters,
  )
  exportCounters(
    registry,
    'colophon_audit_verifications_total',
    'Verifications of audit logs in this process',
    'outcome',
    engine.host.auditVerifications.outcomes,
  )
  measureOperations(app, registry)
  measureHost(registry, engine, requestQueue)
  // One function for all responses: there may be thousands of streams.
  const closed = () => {
    open -= 1
  }
  app.addHook('onRequest', (_request, reply, done) => {
    open += 1
    // Not onResponse: an event stream ends with its connection, not with a response.
    reply.raw.on('close', closed)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const labels = { method: knownMethod(request.method), route: request.routeOptions.url ?? 'none' }
    requests.inc({ ...labels, status: reply.statusCode })
    seconds.observe(labels, reply.elapsedTime / 1_000)
    done()
  })
  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
}

function exportCounters(registry: Registry, name: string, help: string, label: string, counters: Counters): void {
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset()
      for (const [kind, count] of counters.counts()) this.inc({ [label]: kind }, count)
    },
  })
}
