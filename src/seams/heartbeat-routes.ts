import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { decideAndCommit } from '../app/decide-and-commit.ts'
import { findHeartbeat, freshState, type Heartbeat, toHeartbeatBody } from '../app/heartbeats/heartbeat-record.ts'
import { observeWithin } from '../app/heartbeats/observe.ts'
import { heartbeatJobOf, recordTick } from '../app/heartbeats/tick-heartbeat.ts'
import type { Tenant } from '../app/tenant.ts'
import type { JobPark } from '../core/commit/parts/jobs.ts'
import { ColophonError } from '../core/errors.ts'
import { eventsOfTick } from '../core/heartbeats/heartbeat.ts'
import { acquireLease, type Job } from '../core/jobs/job.ts'
import { limits } from '../core/limits.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

const Tick = z.looseObject({
  heartbeatId: z.string().min(1).max(128),
  observedState: z
    .record(z.string().max(64), z.union([z.number(), z.boolean()]))
    .refine((state) => Object.keys(state).length <= limits.heartbeatStateMembersMax),
  simulateSlowMs: z.int().min(0).max(600_000).default(0),
})

/** Time passes faster in a simulated evaluation, so that the answer to a slow one comes soon. */
const speed = 10

/** No worker has this kind: only the seam ticks the heartbeats that it makes. */
const sampleJobKind = 'colophon.heartbeat.sample'
const never = Date.UTC(9000, 0)

/** One tick of a heartbeat with a given observation, for conformance tests. The rest is as for every tick. */
export function heartbeatSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/heartbeat/tick',
    { config: { access: 'memory:admin' }, schema: { hide: true, body: Tick } },
    async (request) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { heartbeatId, observedState, simulateSlowMs } = request.body
      const { jobId } = await decideAndCommit(
        async () => (await findHeartbeat(tenant, heartbeatId))?.heartbeat ?? register(tenant, heartbeatId, actor),
      )
      const park = await leaseTick(tenant, jobId)
      // Another tick is under way: this one is skipped, and not queued.
      if (park === null) return { evaluated: [], stateChanged: [], enqueuedRuns: 0 }
      const observation = await observeWithin(limits.heartbeatRuntimeMsMax / speed, async (signal) => {
        if (simulateSlowMs > 0) await delay(simulateSlowMs / speed, undefined, { signal })
        return observedState
      })
      const { note, runId } = await decideAndCommit(async () => {
        const stored = await findHeartbeat(tenant, heartbeatId)
        if (stored === null) throw new ColophonError('not_found', 'The heartbeat was removed during its tick.')
        return recordTick(tenant, stored, observation, { park })
      })
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

/** The lease of the heartbeat's job, as a worker takes it, and the due time that the job has after the tick. Null while another has it. */
async function leaseTick(tenant: Tenant, jobId: string): Promise<JobPark | null> {
  const now = tenant.now()
  const leaseToken = tenant.system.newId('lease')
  const lease = { leaseToken, worker: 'seam', leaseUntil: now + limits.jobLeaseMs }
  const before: Job[] = []
  await tenant.storage.jobs.update(tenant.id, jobId, (job) => {
    if (job.status === 'leased' && job.dueAt > now) return job
    before[0] = job
    return acquireLease(job, lease, now)
  })
  const [job] = before
  return job === undefined ? null : { jobId, leaseToken, dueAt: Math.max(job.dueAt, now), waitsFor: [] }
}

async function register(tenant: Tenant, heartbeatId: string, by: string): Promise<Heartbeat> {
  const heartbeat: Heartbeat = {
    ...freshState,
    heartbeatId,
    predicate: { kind: 'count', memoryRef: 'conformance', tag: null, claimId: null },
    workflowId: 'conformance-noop',
    intervalSec: limits.heartbeatIntervalSecMin,
    by,
    reader: null,
    createdAt: tenant.now(),
    jobId: tenant.system.newId('job'),
  }
  const admin = [{ kind: 'heartbeat', id: heartbeatId, body: toHeartbeatBody(heartbeat), expects: 0 }] as const
  const jobs = [{ ...heartbeatJobOf(heartbeat), kind: sampleJobKind, dueAt: never }]
  const call = { operation: 'seam.heartbeat' }
  await tenant.commit({ kind: 'admin.heartbeat.created', admin, jobs }, { actor: by, call })
  return heartbeat
}
