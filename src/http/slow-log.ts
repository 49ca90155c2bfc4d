import { onMeasured } from '../telemetry/measured.ts'
import type { Scope } from '../telemetry/scope.ts'
import type { App } from './context.ts'

/**
 * One line for each request and each attempt of a job that takes too long, with what it waited for. It names the
 * pattern of the path or the kind of the job, and nothing that a caller chose.
 */
export function logSlowness(app: App, slowMs: number): void {
  if (slowMs === 0) return
  app.addHook('onResponse', async (request, reply) => {
    const ms = reply.elapsedTime
    if (ms < slowMs) return
    const { method, routeOptions, scope } = request
    const facts = { method, route: routeOptions.url ?? 'none', status: reply.statusCode }
    const turnMs = Math.round(scope?.turnMs ?? 0)
    request.log.warn({ ...facts, ms: Math.round(ms), turnMs, ...partsOf(scope) }, 'slow request')
  })
  const stop = onMeasured(({ name, labels, outcome, ms, scope, waitedMs }) => {
    if (name !== 'job' || ms < slowMs) return
    const facts = { job: labels.kind, outcome, ms: Math.round(ms), waitedMs: Math.round(waitedMs) }
    app.log.warn({ ...facts, ...partsOf(scope) }, 'slow job')
  })
  app.addHook('onClose', async () => stop())
}

/** Calls of the store that went on side by side count each, so both together may be more than the whole. */
function partsOf(scope: Scope | null | undefined): { databaseMs: number; queueMs: number } {
  const { storageMs = 0, queueMs = 0 } = scope ?? {}
  return { databaseMs: Math.round(Math.max(storageMs - queueMs, 0)), queueMs: Math.round(queueMs) }
}
