import { onMeasurement } from '../telemetry/measurement.ts'
import type { TraceScope } from '../telemetry/trace-scope.ts'
import type { App } from './route-context.ts'

/**
 * Logs one line for each slow request and job attempt, with the times that it waited. The line has the route pattern or the job kind,
 * and no value of a caller.
 */
export function logSlowWork(app: App, slowMs: number): void {
  if (slowMs === 0) return
  app.addHook('onResponse', (request, reply, done) => {
    const ms = reply.elapsedTime
    if (ms < slowMs) return done()
    const { method, routeOptions, traceScope } = request
    const facts = { method, route: routeOptions.url ?? 'none', status: reply.statusCode }
    const turnMs = Math.round(traceScope?.requestQueueMs ?? 0)
    request.log.warn({ ...facts, ms: Math.round(ms), turnMs, ...partsOf(traceScope) }, 'slow request')
    done()
  })
  const stop = onMeasurement((measurement) => {
    const { name, labels, outcome, ms, waitedMs } = measurement
    if (name !== 'job' || ms < slowMs) return
    const facts = { job: labels.kind, outcome, ms: Math.round(ms), waitedMs: Math.round(waitedMs) }
    app.log.warn({ ...facts, ...partsOf(measurement.traceScope) }, 'slow job')
  })
  app.addHook('onClose', async () => stop())
}

/** Concurrent database calls are summed up, so the two times together can exceed the duration. */
function partsOf(scope: TraceScope | null | undefined): { databaseMs: number; queueMs: number } {
  const storageMs = scope?.storageMs ?? 0
  const queueMs = scope?.commitQueueMs ?? 0
  return { databaseMs: Math.round(Math.max(storageMs - queueMs, 0)), queueMs: Math.round(queueMs) }
}
