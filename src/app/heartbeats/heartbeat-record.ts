import type { AdminBody, AdminRecord } from '../../core/admin.ts'
import { ColophonError } from '../../core/errors.ts'
import {
  type HeartbeatPredicate,
  type HeartbeatState,
  noState,
  type TickStatus,
} from '../../core/heartbeats/heartbeat.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'

/** A registered heartbeat. */
export type Heartbeat = {
  readonly heartbeatId: string
  readonly predicate: HeartbeatPredicate
  readonly workflowId: string | null
  readonly intervalSec: number
  /** Who registered it: its runs act for this actor. */
  readonly by: string
  /** It observes what this reader may see. */
  readonly reader: string | null
  readonly createdAt: number
  /** Empty while it is paused: it has no job then. */
  readonly jobId: string
  /** What the last tick that changed anything observed, and when. */
  readonly state: HeartbeatState
  readonly changedAt: number | null
  readonly status: TickStatus | null
  /** The last run that it started. */
  readonly runId: string | null
}

export type StoredHeartbeat = { readonly heartbeat: Heartbeat; readonly revision: number }

export const freshState = { state: noState, changedAt: null, status: null, runId: null } as const

/** Names that the client chose are text, and are redacted. The rest was checked or made by the host. */
export function toHeartbeatBody({ heartbeatId: _id, predicate, workflowId, ...facts }: Heartbeat): AdminBody {
  const { kind, memoryRef, tag, claimId } = predicate
  return { text: { memoryRef, tag, claimId, workflowId }, facts: { kind, ...facts }, sealed: {} }
}

type HeartbeatText = Pick<HeartbeatPredicate, 'memoryRef' | 'tag'> & {
  readonly workflowId: string | null
  readonly claimId?: string | null
}

function toHeartbeat({ id, body, revision }: AdminRecord): StoredHeartbeat {
  const { kind, ...facts } = body.facts as Omit<Heartbeat, 'predicate'> & Pick<HeartbeatPredicate, 'kind'>
  // `claimId` is absent in records that were stored before it was.
  const { workflowId, claimId = null, ...ref } = body.text as HeartbeatText
  return { heartbeat: { ...facts, heartbeatId: id, workflowId, predicate: { kind, ...ref, claimId } }, revision }
}

export async function findHeartbeat({ storage, id }: Tenant, heartbeatId: string): Promise<StoredHeartbeat | null> {
  const record = await storage.record(id, 'heartbeat', heartbeatId)
  return record && toHeartbeat(record)
}

/** The heartbeats of a tenant, as the caller may see them: a reader has its own. */
export async function visibleHeartbeats(tenant: Tenant): Promise<readonly Heartbeat[]> {
  return (await allHeartbeats(tenant)).filter(({ reader }) => tenant.reader === null || reader === tenant.reader)
}

export async function allHeartbeats({ storage, id }: Tenant): Promise<readonly Heartbeat[]> {
  const range = { after: null, limit: limits.heartbeatsPerTenantMax }
  const records = await storage.records({ tenantId: id, kind: 'heartbeat', ...range })
  return records.map((record) => toHeartbeat(record).heartbeat)
}

/** A heartbeat that the caller may see. */
export async function visibleHeartbeat(tenant: Tenant, heartbeatId: string): Promise<StoredHeartbeat> {
  const found = await findHeartbeat(tenant, heartbeatId)
  if (found === null || (tenant.reader !== null && found.heartbeat.reader !== tenant.reader))
    throw new ColophonError('not_found', 'There is no heartbeat with this id.')
  return found
}

export function isPaused({ jobId }: Pick<Heartbeat, 'jobId'>): boolean {
  return jobId === ''
}
