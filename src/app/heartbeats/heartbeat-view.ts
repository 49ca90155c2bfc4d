import { toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import type { PredicateKind, TickStatus } from '../../core/heartbeats/heartbeat.ts'
import type { Job } from '../../core/jobs/job.ts'
import type { Tenant } from '../tenant.ts'
import { findHeartbeat, type Heartbeat, isPaused, visibleHeartbeats } from './heartbeat-record.ts'

/** A heartbeat as clients see it. */
export type HeartbeatView = {
  readonly id: string
  readonly predicate: PredicateKind
  readonly memoryRef?: string
  readonly tag?: string
  readonly claimId?: string
  readonly intervalSec: number
  readonly workflowId?: string
  readonly createdAt: string
  readonly isPaused: boolean
  readonly lastTickAt?: string
  readonly nextTickAt?: string
  readonly state: Heartbeat['state']
  readonly changedAt?: string
  readonly status?: TickStatus
  readonly runId?: string
}

export async function listHeartbeats(tenant: Tenant): Promise<readonly HeartbeatView[]> {
  return Promise.all((await visibleHeartbeats(tenant)).map((heartbeat) => toView(tenant, heartbeat)))
}

export async function viewOf(tenant: Tenant, id: string): Promise<HeartbeatView> {
  const found = await findHeartbeat(tenant, id)
  if (found === null) throw new ColophonError('not_found', 'There is no heartbeat with this id.')
  return toView(tenant, found.heartbeat)
}

async function toView(tenant: Tenant, heartbeat: Heartbeat): Promise<HeartbeatView> {
  const { heartbeatId, predicate, workflowId, intervalSec, createdAt, state, changedAt, status, runId } = heartbeat
  const { kind, memoryRef, tag, claimId } = predicate
  const job = isPaused(heartbeat) ? null : await tenant.storage.jobs.get(tenant.id, heartbeat.jobId)
  return {
    id: heartbeatId,
    predicate: kind,
    ...(memoryRef === null ? {} : { memoryRef }),
    ...(tag === null ? {} : { tag }),
    ...(claimId === null ? {} : { claimId }),
    intervalSec,
    ...(workflowId === null ? {} : { workflowId }),
    createdAt: toInstant(createdAt),
    isPaused: isPaused(heartbeat),
    ...lastTickOf(tenant, heartbeat, job),
    ...(job?.status === 'queued' ? { nextTickAt: toInstant(job.dueAt) } : {}),
    state,
    ...(changedAt === null ? {} : { changedAt: toInstant(changedAt) }),
    ...(status === null ? {} : { status }),
    ...(runId === null ? {} : { runId }),
  }
}

/** The instant that the last tick was due at. It follows from the next one: a tick that changes nothing writes no record. */
function lastTickOf(
  tenant: Tenant,
  { status, intervalSec }: Heartbeat,
  job: Pick<Job, 'status' | 'dueAt'> | null,
): { readonly lastTickAt?: string } {
  if (status === null || job?.status !== 'queued' || job.dueAt <= tenant.now()) return {}
  return { lastTickAt: toInstant(job.dueAt - intervalSec * 1_000) }
}
