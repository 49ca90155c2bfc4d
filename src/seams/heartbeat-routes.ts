import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { findHeartbeat, freshState, type Heartbeat, toHeartbeatBody } from '../app/heartbeats/heartbeat-record.ts'
import { observeWithin } from '../app/heartbeats/observe.ts'
import { recordTick } from '../app/heartbeats/tick-heartbeat.ts'
import type { Tenant } from '../app/tenant.ts'
import { eventsOfTick } from '../core/heartbeats/heartbeat.ts'
import { limits } from '../core/limits.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

const Tick = z.looseObject({
  heartbeatId: z.string().min(1).max(128),
  observedState: z
    .record(z.string().max(64), z.union([z.number(), z.boolean()]))
    .refine((state) => Object.keys(state).length <= limits.heartbeatStateMembersMax),
  simulateSlowMs: z.int().min(0).max(600_000).default(0),
})

/** Time passes faster in a simulated evaluation, so that the answer to a slow one comes at once. */
const speed = 100

/** One tick of a heartbeat with a given observation, for conformance tests. The rest is as for every tick. */
export function heartbeatSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/heartbeat/tick',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: Tick } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { heartbeatId, observedState, simulateSlowMs } = request.body
      const stored = (await findHeartbeat(tenant, heartbeatId)) ?? (await register(tenant, heartbeatId, actor))
      const observation = await observeWithin(limits.heartbeatRuntimeMsMax / speed, async (signal) => {
        if (simulateSlowMs > 0) await delay(simulateSlowMs / speed, undefined, { signal })
        return observedState
      })
      const { note, runId } = await recordTick(tenant, stored, observation)
      const payloads = (kind: string) =>
        eventsOfTick(note).flatMap((event) => (event.kind === kind ? [event.payload] : []))
      return {
        evaluated: payloads('heartbeat.evaluated'),
        stateChanged: payloads('heartbeat.stateChanged'),
        enqueuedRuns: runId === null ? 0 : 1,
      }
    },
  )
}

/** A heartbeat without a job: only the seam ticks it. */
async function register(tenant: Tenant, heartbeatId: string, by: string) {
  const heartbeat: Heartbeat = {
    ...freshState,
    heartbeatId,
    predicate: { kind: 'count', memoryRef: 'conformance', tag: null, claimId: null },
    workflowId: 'conformance-noop',
    intervalSec: limits.heartbeatIntervalSecMin,
    by,
    reader: null,
    createdAt: tenant.now(),
    jobId: '',
  }
  const admin = [{ kind: 'heartbeat', id: heartbeatId, body: toHeartbeatBody(heartbeat), expects: 0 }] as const
  await tenant.commit({ kind: 'admin.heartbeat.created', admin }, { actor: by, call: { operation: 'seam.heartbeat' } })
  return { heartbeat, revision: 1 }
}
