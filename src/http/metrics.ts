import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Tally } from '../app/tally.ts'
import type { App } from './context.ts'

/** Prometheus metrics. Labels are route patterns, methods and statuses: bounded, and never a ref or an id. */
export function measure(app: App, tally: Tally): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, prefix: 'colophon_' })
  const labelNames = ['method', 'route', 'status'] as const
  const requests = new Counter({
    name: 'colophon_http_requests_total',
    help: 'Answered requests',
    labelNames,
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'colophon_http_request_seconds',
    help: 'Time to answer',
    labelNames: ['method', 'route'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const open = new Gauge({
    name: 'colophon_http_requests_open',
    help: 'Requests being answered',
    registers: [registry],
  })
  new Counter({
    name: 'colophon_upkeep_total',
    help: 'What upkeep ended or deleted in this process',
    labelNames: ['what'] as const,
    registers: [registry],
    collect() {
      this.reset()
      for (const [what, count] of tally.counts()) this.inc({ what }, count)
    },
  })
  app.addHook('onRequest', async (_request, reply) => {
    open.inc()
    // Not onResponse: an event stream has no response that ends, only a connection.
    reply.raw.once('close', () => open.dec())
  })
  app.addHook('onResponse', async (request, reply) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'none' }
    requests.inc({ ...labels, status: reply.statusCode })
    seconds.observe(labels, reply.elapsedTime / 1_000)
  })
  app.get('/metrics', { config: { access: 'public' }, schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await registry.metrics()),
  )
  return registry
}
