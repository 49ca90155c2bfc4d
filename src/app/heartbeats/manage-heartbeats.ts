import { checkCharacters, toInstant } from '../../core/check.ts'
import { readerForbidden } from '../../core/entries/readers.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import {
  clampInterval,
  type HeartbeatPredicate,
  type PredicateKind,
  type TickStatus,
} from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import { checkWrittenRef, isPrivateRef } from '../../core/names.ts'
import { refuseSecrets } from '../../core/redaction/scanner.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'
import type { WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import { currentWorkflow } from '../runs/workflow-registry.ts'
import type { Tenant } from '../tenant.ts'
import {
  allHeartbeats,
  findHeartbeat,
  freshState,
  type Heartbeat,
  toHeartbeatBody,
  visibleHeartbeats,
} from './heartbeat-record.ts'
import { heartbeatJobKind, heartbeatJobOf } from './tick-heartbeat.ts'

export type HeartbeatDraft = {
  readonly predicate: PredicateKind
  readonly memoryRef?: string | undefined
  readonly tag?: string | undefined
  readonly intervalSec: number
  readonly workflowId?: string | undefined
}

/** A heartbeat as clients see it. */
export type HeartbeatView = {
  readonly id: string
  readonly predicate: PredicateKind
  readonly memoryRef?: string
  readonly tag?: string
  readonly intervalSec: number
  readonly workflowId?: string
  readonly createdAt: string
  readonly nextTickAt?: string
  readonly state: Heartbeat['state']
  readonly changedAt?: string
  readonly status?: TickStatus
  readonly runId?: string
}

export async function listHeartbeats(tenant: Tenant): Promise<readonly HeartbeatView[]> {
  return Promise.all((await visibleHeartbeats(tenant)).map((heartbeat) => toView(tenant, heartbeat)))
}

/** Registers a heartbeat with its job. It observes what the caller may see. */
export async function createHeartbeat(
  tenant: Tenant,
  draft: HeartbeatDraft,
  options: WriteOptions,
): Promise<{ readonly view: HeartbeatView; readonly repeated: boolean }> {
  const predicate = parsePredicate(tenant, draft)
  const intervalSec = clampInterval(draft.intervalSec)
  const write = { ...options, call: { operation: 'heartbeats.create', draft, reader: tenant.reader } }
  const known = (await tenant.findOutcome(write))?.admin[0]
  if (known !== undefined) return { view: await viewOf(tenant, known), repeated: true }
  const { workflowId = null } = draft
  if (workflowId !== null && (await currentWorkflow(tenant, workflowId)) === null)
    throw invalid('workflowId', 'must be a registered workflow')
  const { memoryRef, tag } = predicate
  const { redaction } = await freshContext(tenant)
  // A redacted name would observe another ref.
  await redaction.redact(({ scan }) => refuseSecrets({ memoryRef: memoryRef ?? '', tag: tag ?? '' }, scan))
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

/** Removes a heartbeat. Its job is woken, and ends. */
export async function removeHeartbeat(tenant: Tenant, id: string, options: WriteOptions) {
  const call = { operation: 'heartbeats.remove', id }
  const write = { ...options, call }
  if ((await tenant.findOutcome(write)) !== null) return { deleted: true, repeated: true }
  const heartbeat = (await visibleHeartbeats(tenant)).find(({ heartbeatId }) => heartbeatId === id)
  if (heartbeat === undefined) return { deleted: false, repeated: false }
  const admin = [{ kind: 'heartbeat', id, body: null, expects: null }] as const
  const wakes = heartbeat.jobId === '' ? [] : [heartbeat.jobId]
  const { repeated } = await tenant.commit({ kind: 'admin.heartbeat.removed', admin, wakes }, write)
  tenant.engine.workers.wake(heartbeatJobKind)
  return { deleted: true, repeated }
}

function parsePredicate({ reader }: Tenant, draft: HeartbeatDraft): HeartbeatPredicate {
  const { predicate: kind, memoryRef, tag = null } = draft
  if (kind === 'backlog') {
    if (memoryRef !== undefined || tag !== null)
      throw invalid(memoryRef === undefined ? 'tag' : 'memoryRef', 'is only allowed with count or position')
    if (reader !== null) throw readerForbidden('Jobs belong to the whole tenant: a reader cannot observe them.')
    return { kind, memoryRef: null, tag }
  }
  checkWrittenRef(memoryRef)
  if (isPrivateRef(memoryRef) || isEphemeralRef(memoryRef)) throw invalid('memoryRef', 'must be a ref of memory')
  if (tag !== null) checkCharacters('tag', tag, 'tagCharactersMax', limits.tagCharactersMax)
  return { kind, memoryRef, tag }
}

async function checkCount(tenant: Tenant): Promise<void> {
  const max = limits.heartbeatsPerTenantMax
  if ((await allHeartbeats(tenant)).length < max) return
  throw invalid('heartbeats', `must be at most ${max} per tenant`, { limit: 'heartbeatsPerTenantMax', max })
}

async function viewOf(tenant: Tenant, id: string): Promise<HeartbeatView> {
  const found = await findHeartbeat(tenant, id)
  if (found === null) throw new ColophonError('not_found', 'There is no heartbeat with this id.')
  return toView(tenant, found.heartbeat)
}

async function toView(tenant: Tenant, heartbeat: Heartbeat): Promise<HeartbeatView> {
  const { heartbeatId, predicate, workflowId, intervalSec, createdAt, state, changedAt, status, runId } = heartbeat
  const { kind, memoryRef, tag } = predicate
  const job = await tenant.storage.jobs.get(tenant.id, heartbeat.jobId)
  return {
    id: heartbeatId,
    predicate: kind,
    ...(memoryRef === null ? {} : { memoryRef }),
    ...(tag === null ? {} : { tag }),
    intervalSec,
    ...(workflowId === null ? {} : { workflowId }),
    createdAt: toInstant(createdAt),
    ...(job?.status === 'queued' ? { nextTickAt: toInstant(job.dueAt) } : {}),
    state,
    ...(changedAt === null ? {} : { changedAt: toInstant(changedAt) }),
    ...(status === null ? {} : { status }),
    ...(runId === null ? {} : { runId }),
  }
}
