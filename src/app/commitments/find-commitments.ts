import { toInstant } from '../../core/check.ts'
import {
  type Commitment,
  type CommitmentState,
  refOfCommitments,
  stateOf,
  toCommitment,
  waitingTag,
} from '../../core/commitments/commitment.ts'
import { currentView, isOlder } from '../../core/entries/as-of.ts'
import type { EntryVersion, Place } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { commitmentsPrefix } from '../../core/names.ts'
import type { RefSummary } from '../../ports/storage.ts'
import { mayRead, trustFloorOf } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'

/** A stored commitment, with the entry that it comes from as that entry is now. */
export type FoundCommitment = {
  readonly version: EntryVersion
  readonly commitment: Commitment
  /** Undefined when it has none, or the entry is not there any more. */
  readonly source: EntryVersion | undefined
  readonly state: CommitmentState
}

/** A commitment as clients see it. */
export type CommitmentView = {
  readonly id: string
  readonly memoryRef: string
  readonly memoryId?: string
  readonly intention: string
  readonly condition: 'time' | 'predicate'
  readonly at?: string
  readonly statement?: string
  readonly status: CommitmentState['status']
  readonly reason?: string
  readonly rule?: string
  readonly workflowId?: string
  readonly createdAt: string
  readonly firedAt?: string
  readonly runId?: string
  readonly enqueuedRunId?: string
}

export function toCommitmentView({ version, commitment, state }: FoundCommitment): CommitmentView {
  const { condition, memoryId, inferred, workflowId, firedAt, runId, startedRunId } = commitment
  return {
    id: commitment.commitmentId,
    memoryRef: commitment.memoryRef,
    ...(memoryId === null ? {} : { memoryId }),
    intention: commitment.intention,
    condition: condition.kind,
    ...(condition.kind === 'time' ? { at: toInstant(condition.dueAt) } : { statement: condition.statement }),
    status: state.status,
    ...(state.reason === null ? {} : { reason: state.reason }),
    ...(inferred === null ? {} : { rule: inferred.rule }),
    ...(workflowId === null ? {} : { workflowId }),
    createdAt: toInstant(version.createdAt),
    ...(firedAt === null ? {} : { firedAt: toInstant(firedAt) }),
    ...(runId === null ? {} : { runId }),
    ...(startedRunId === null ? {} : { enqueuedRunId: startedRunId }),
  }
}

/** The commitments of the entries that the reader may see. */
async function withSources(tenant: Tenant, versions: readonly EntryVersion[]): Promise<FoundCommitment[]> {
  if (versions.length === 0) return []
  const parsed = versions.map((version) => ({ version, commitment: toCommitment(version) }))
  const ids = [...new Set(parsed.flatMap(({ commitment }) => commitment.memoryId ?? []))]
  const [found, floor, { mac }] = await Promise.all([
    ids.length === 0 ? [] : tenant.storage.provenance.newestVersions(tenant.id, ids),
    trustFloorOf(tenant),
    tenant.context(),
  ])
  const sources = new Map(found.map((source) => [source.entryId, source]))
  const now = tenant.now()
  return parsed.flatMap(({ version, commitment }) => {
    const source = commitment.memoryId === null ? undefined : sources.get(commitment.memoryId)
    if (!mayRead(tenant, version.readers) || (source && !mayRead(tenant, source.readers))) return []
    const context = { now, floor, armed: armedMark(mac, commitment.commitmentId) }
    return [{ version, commitment, source, state: stateOf(commitment, version, source, context) }]
  })
}

/** The mark of a commitment of this tenant: one that was imported has that of another one. */
export function armedMark(mac: (text: string) => string, commitmentId: string): string {
  return mac(`commitment.${commitmentId}`)
}

/** The newest state of a commitment; null when there is none that the reader may see. */
export async function findCommitment(tenant: Tenant, commitmentId: string): Promise<FoundCommitment | null> {
  if (!isCommitmentId(commitmentId)) return null
  const [version] = await tenant.storage.provenance.newestVersions(tenant.id, [commitmentId])
  if (version === undefined || version.endedPosition !== null || !version.memoryRef.startsWith(commitmentsPrefix))
    return null
  return (await withSources(tenant, [version]))[0] ?? null
}

/** Whether a containment has ended a commitment: a release brings it back as it was. */
export async function isContained(tenant: Tenant, commitmentId: string): Promise<boolean> {
  const [version] = await tenant.storage.provenance.newestVersions(tenant.id, [commitmentId])
  return version?.endedReason === 'contained' && version.endedPosition !== null
}

export async function getCommitment(tenant: Tenant, commitmentId: string): Promise<FoundCommitment> {
  const found = await findCommitment(tenant, commitmentId)
  if (found === null) throw new ColophonError('not_found', 'There is no such commitment.')
  return found
}

function isCommitmentId(id: string): boolean {
  return id.startsWith('com_') && id.length <= limits.entryIdCharactersMax
}

/** The stored commitments of a ref, newest first. */
export async function commitmentsOfRef(tenant: Tenant, memoryRef: string, tag: string | null = null) {
  const versions: EntryVersion[] = []
  const query = { tenantId: tenant.id, memoryRef: refOfCommitments(memoryRef), tag, view: currentView }
  const limit = limits.pageEntriesDefault
  for (let before: Place | null = null; ; ) {
    const page = await tenant.storage.list({ ...query, now: tenant.expiryNow(), before, limit })
    versions.push(...page.versions)
    before = page.versions.at(-1) ?? null
    if (before === null || page.versions.length < limit) return versions
  }
}

/** The refs that have commitments, in order of name. */
async function refsWithCommitments(tenant: Tenant): Promise<Pick<RefSummary, 'memoryRef' | 'entries'>[]> {
  const found: Pick<RefSummary, 'memoryRef' | 'entries'>[] = []
  const limit = limits.pageEntriesDefault
  for (let after = commitmentsPrefix; ; ) {
    const page = await tenant.storage.refs({ tenantId: tenant.id, after, now: tenant.expiryNow(), limit })
    for (const { memoryRef, entries } of page) {
      if (!memoryRef.startsWith(commitmentsPrefix)) return found
      found.push({ memoryRef: memoryRef.slice(commitmentsPrefix.length), entries })
      after = memoryRef
    }
    if (page.length < limit) return found
  }
}

/** How many commitments of a tenant wait, counted up to `commitmentsPerTenantMax`. */
export async function waitingOfTenant(tenant: Tenant): Promise<number> {
  const max = limits.commitmentsPerTenantMax
  const refs = await refsWithCommitments(tenant)
  const kept = refs.reduce((sum, { entries }) => sum + entries, 0)
  // Most tenants keep fewer than may wait.
  if (kept < max) return kept
  let waiting = 0
  for (const { memoryRef } of refs) {
    waiting += (await commitmentsOfRef(tenant, memoryRef, waitingTag)).length
    if (waiting >= max) return max
  }
  return waiting
}

type CommitmentFilter = { readonly memoryRef?: string | undefined; readonly status?: string | undefined }

/** The commitments of a ref, or of all, in order of ref, newest first; with `after`, those that follow this one. */
async function* listCommitments(
  tenant: Tenant,
  { memoryRef, status }: CommitmentFilter,
  after: string | null = null,
): AsyncGenerator<FoundCommitment> {
  const [last] = after === null ? [] : await tenant.storage.provenance.newestVersions(tenant.id, [after])
  const refs = memoryRef === undefined ? await refsWithCommitments(tenant) : [{ memoryRef }]
  for (const { memoryRef: ref } of refs) {
    const full = refOfCommitments(ref)
    if (last !== undefined && full < last.memoryRef) continue
    const stored = await commitmentsOfRef(tenant, ref)
    const left = last?.memoryRef === full ? stored.filter((version) => isOlder(version, last)) : stored
    for (const found of await withSources(tenant, left))
      if (status === undefined || found.state.status === status) yield found
  }
}

/** One page for clients. */
export async function pageOfCommitments(
  tenant: Tenant,
  filter: CommitmentFilter,
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<CommitmentView[]> {
  const views: CommitmentView[] = []
  for await (const found of listCommitments(tenant, filter, after)) {
    views.push(toCommitmentView(found))
    if (views.length >= limit) break
  }
  return views
}
