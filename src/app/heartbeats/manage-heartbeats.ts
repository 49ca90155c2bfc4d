import { invalid } from '../../core/errors.ts'
import { clampInterval, type HeartbeatPredicate, type PredicateKind } from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { currentWorkflow } from '../runs/workflow-registry.ts'
import type { Tenant } from '../tenant.ts'
import {
  allHeartbeats,
  freshState,
  type Heartbeat,
  isPaused,
  toHeartbeatBody,
  visibleHeartbeat,
  visibleHeartbeats,
} from './heartbeat-record.ts'
import { type HeartbeatView, viewOf } from './heartbeat-view.ts'
import { type Observed, parsePredicate } from './parse-predicate.ts'
import { heartbeatJobKind, heartbeatJobOf } from './tick-heartbeat.ts'

export type HeartbeatDraft = Observed & {
  readonly predicate: PredicateKind
  readonly intervalSec: number
  readonly workflowId?: string | undefined
}

/** Registers a heartbeat with its job. It observes what the caller may see. */
export async function createHeartbeat(
  tenant: Tenant,
  draft: HeartbeatDraft,
  options: WriteOptions,
): Promise<{ readonly view: HeartbeatView; readonly repeated: boolean }> {
  const predicate = parsePredicate(tenant, draft.predicate, draft)
  const intervalSec = clampInterval(draft.intervalSec)
  const write = { ...options, call: { operation: 'heartbeats.create', draft, reader: tenant.reader } }
  const known = (await tenant.findOutcome(write))?.admin[0]
  if (known !== undefined) return { view: await viewOf(tenant, known), repeated: true }
  const { workflowId = null } = draft
  await checkNames(tenant, predicate, workflowId)
  const { outcome, repeated } = await decideAndCommit(async () => {
    await checkCount(tenant)
    const heartbeat: Heartbeat = {
      ...freshState,
      heartbeatId: tenant.system.newId('hbt'),
      predicate,
      workflowId,
      intervalSec,
      by: options.actor ?? tenant.engine.actor,
      reader: tenant.reader,
      createdAt: tenant.now(),
      jobId: tenant.system.newId('job'),
    }
    const { heartbeatId: id } = heartbeat
    const admin = [{ kind: 'heartbeat', id, body: toHeartbeatBody(heartbeat), expects: 0 }] as const
    const capacities = [{ of: { records: 'heartbeat' }, max: limits.heartbeatsPerTenantMax }] as const
    return tenant.commit(
      { kind: 'admin.heartbeat.created', admin, jobs: [heartbeatJobOf(heartbeat)], capacities },
      write,
    )
  })
  tenant.engine.workers.wake(heartbeatJobKind)
  return { view: await viewOf(tenant, outcome.admin[0] ?? ''), repeated }
}

/** What a client changes of a heartbeat. */
export type HeartbeatEdit = {
  readonly intervalSec?: number | undefined
  /** Null for none. */
  readonly workflowId?: string | null | undefined
}

type Written = { readonly view: HeartbeatView; readonly repeated: boolean }

/** Changes the interval or the workflow. From now on it observes and acts for the caller. Unless it is paused, its next tick is at once. */
export async function editHeartbeat(
  tenant: Tenant,
  id: string,
  { intervalSec, workflowId }: HeartbeatEdit,
  options: WriteOptions,
): Promise<Written> {
  if (intervalSec === undefined && workflowId === undefined)
    throw invalid('intervalSec', 'must be given, or workflowId: at least one of them')
  const call = { operation: 'heartbeats.edit', id, intervalSec, workflowId }
  return change(tenant, id, { ...options, call }, 'edited', async (heartbeat) => {
    if (workflowId !== undefined) await checkNames(tenant, heartbeat.predicate, workflowId)
    return {
      ...heartbeat,
      ...(intervalSec === undefined ? {} : { intervalSec: clampInterval(intervalSec) }),
      ...(workflowId === undefined ? {} : { workflowId }),
      by: options.actor ?? tenant.engine.actor,
      reader: tenant.reader,
      jobId: isPaused(heartbeat) ? '' : tenant.system.newId('job'),
    }
  })
}

/** Pauses a heartbeat: it has no job until it is resumed. */
export function pauseHeartbeat(tenant: Tenant, id: string, options: WriteOptions): Promise<Written> {
  const call = { operation: 'heartbeats.pause', id }
  return change(tenant, id, { ...options, call }, 'paused', async (heartbeat) => ({ ...heartbeat, jobId: '' }))
}

/** Resumes a heartbeat with a tick at once. It keeps its state: what changed in the pause is one change. */
export function resumeHeartbeat(tenant: Tenant, id: string, options: WriteOptions): Promise<Written> {
  const call = { operation: 'heartbeats.resume', id }
  return change(tenant, id, { ...options, call }, 'resumed', async (heartbeat) =>
    isPaused(heartbeat) ? { ...heartbeat, jobId: tenant.system.newId('job') } : heartbeat,
  )
}

/** Stores what was decided, with its new job. The job before it is woken, finds that it is not the one any more, and ends. */
async function change(
  tenant: Tenant,
  id: string,
  write: Parameters<Tenant['commit']>[1],
  verb: 'edited' | 'paused' | 'resumed',
  decide: (heartbeat: Heartbeat) => Promise<Heartbeat>,
): Promise<Written> {
  const repeated = await decideAndCommit(async () => {
    if ((await tenant.findOutcome(write)) !== null) return true
    const { heartbeat, revision } = await visibleHeartbeat(tenant, id)
    const next = await decide(heartbeat)
    if (next === heartbeat) return false
    const admin = [{ kind: 'heartbeat', id, body: toHeartbeatBody(next), expects: revision }] as const
    const wakes = isPaused(heartbeat) || next.jobId === heartbeat.jobId ? [] : [heartbeat.jobId]
    const jobs = isPaused(next) ? [] : [heartbeatJobOf(next)]
    await tenant.commit({ kind: `admin.heartbeat.${verb}`, admin, wakes, jobs }, write)
    return false
  })
  tenant.engine.workers.wake(heartbeatJobKind)
  return { view: await viewOf(tenant, id), repeated }
}

/** Removes a heartbeat. Its job is woken, and ends. */
export async function removeHeartbeat(tenant: Tenant, id: string, options: WriteOptions) {
  const call = { operation: 'heartbeats.remove', id }
  const write = { ...options, call }
  if ((await tenant.findOutcome(write)) !== null) return { deleted: true, repeated: true }
  const heartbeat = (await visibleHeartbeats(tenant)).find(({ heartbeatId }) => heartbeatId === id)
  if (heartbeat === undefined) return { deleted: false, repeated: false }
  const admin = [{ kind: 'heartbeat', id, body: null, expects: null }] as const
  const wakes = isPaused(heartbeat) ? [] : [heartbeat.jobId]
  const { repeated } = await tenant.commit({ kind: 'admin.heartbeat.removed', admin, wakes }, write)
  tenant.engine.workers.wake(heartbeatJobKind)
  return { deleted: true, repeated }
}

async function checkCount(tenant: Tenant): Promise<void> {
  const max = limits.heartbeatsPerTenantMax
  if ((await allHeartbeats(tenant)).length < max) return
  throw invalid('heartbeats', `must be at most ${max} per tenant`, { limit: 'heartbeatsPerTenantMax', max })
}

/** Refuses a workflow that is not there, and names with a secret: a redacted name would observe another ref. */
async function checkNames(
  tenant: Tenant,
  { memoryRef, tag, claimId }: HeartbeatPredicate,
  workflowId: string | null,
): Promise<void> {
  if (workflowId !== null && (await currentWorkflow(tenant, workflowId)) === null)
    throw invalid('workflowId', 'must be a registered workflow')
  const { redaction } = await freshContext(tenant)
  const names = { memoryRef: memoryRef ?? '', tag: tag ?? '', claimId: claimId ?? '' }
  await redaction.redact(({ scan }) => refuseSecrets(names, scan))
}
