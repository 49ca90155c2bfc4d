import { isExpired } from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { isBelow } from '../../core/entries/trust.ts'
import { ColophonError, invalid } from '../../core/errors.ts'
import { rejectedReason } from '../../core/provenance/plan-claim.ts'
import type { Change, WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { originOfContent } from '../entries/content-origin.ts'
import { isEntryId } from '../entries/read.ts'
import { trustFloorOf } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { planEdit } from './edit-memory.ts'
import { planEntryEnd } from './plan-entry-end.ts'

/**
 * Quarantine is not stored: it is every current entry below the tenant's floor for reads. A person releases or rejects them one by one;
 * the decision and its reason are a record of their own.
 */

type QuarantineDecision = 'released' | 'rejected'

/** A decision of a person about a memory in quarantine. */
export type QuarantineRecord = {
  readonly decision: QuarantineDecision
  readonly reason: string
  readonly by: string
  /** The version that the decision was about. */
  readonly version: number
}

/** Lists current entries below the floor, in order of id, which is mostly that of their age. */
export async function listQuarantine(
  tenant: Tenant,
  range: { readonly after: string | null; readonly limit: number },
): Promise<readonly EntryVersion[]> {
  const floor = await trustFloorOf(tenant)
  return tenant.storage.provenance.currentBelow({ tenantId: tenant.id, floor, now: tenant.expiryNow(), ...range })
}

type Decider = {
  readonly actor: string
  readonly requestId: string
  /** The version that the person has seen. If the memory has another one, nothing is decided. */
  readonly version?: number | undefined
}

/** Releases a memory: its next version is verified. In a claim, that is one more statement of its content. */
export function releaseFromQuarantine(
  tenant: Tenant,
  id: string,
  reason: string,
  decider: Decider,
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  return decide(tenant, id, { decision: 'released', reason, decider, options }, (entry) =>
    planRelease(tenant, entry, reason, decider),
  )
}

/** Rejects a memory: it ends. In a claim, its assertions are withdrawn; a content that is stated again stays untrusted. */
export function rejectFromQuarantine(
  tenant: Tenant,
  id: string,
  reason: string,
  decider: Decider,
  options: WriteOptions = {},
): Promise<{ readonly repeated: boolean }> {
  return decide(tenant, id, { decision: 'rejected', reason, decider, options }, async ({ memoryRef, entryId }) => {
    const end = await planEntryEnd(tenant, { memoryRef, entryId })
    const ends = end.ends?.map((item) => (item.entryId === entryId ? { ...item, reason: rejectedReason } : item))
    return { kind: 'memory.deleted', ...end, ...(ends === undefined ? {} : { ends }) }
  })
}

async function planRelease(tenant: Tenant, entry: EntryVersion, reason: string, decider: Decider): Promise<Change> {
  const { memoryRef, entryId, content, tags, version } = entry
  if ((entry.classification?.claimId ?? null) !== null) {
    const edit = { content, reason, isRelease: true } as const
    return (await planEdit(tenant, entry, edit, { ...decider, mayPin: true })).change
  }
  const origin = await originOfContent(tenant, entry)
  const text = { memoryRef, entryId, content, tags, origin, trust: 'verified', revives: false } as const
  return {
    kind: 'memory.revised',
    revisions: [{ ...text, salt: tenant.system.newSalt() }],
    expects: [{ memoryRef, entryId, version }],
  }
}

type DecisionParts = {
  readonly decision: QuarantineDecision
  readonly reason: string
  readonly decider: Decider
  readonly options: WriteOptions
}

async function decide(
  tenant: Tenant,
  id: string,
  { decision, reason, decider, options }: DecisionParts,
  plan: (entry: EntryVersion) => Promise<Change>,
): Promise<{ readonly repeated: boolean }> {
  const write = { ...options, actor: decider.actor, call: { operation: `quarantine.${decision}`, id, reason } }
  const decided = await decideAndCommit(async () => {
    const [entry] = isEntryId(id) ? await tenant.storage.provenance.newestVersions(tenant.id, [id]) : []
    const problem = await problemWith(tenant, entry)
    if (problem !== null || entry === undefined) {
      // The first call with this idempotency key may have decided it.
      if ((await tenant.findOutcome(write)) === null) throw problem
      return { repeated: true }
    }
    if (decider.version !== undefined && decider.version !== entry.version) return null
    const change = await plan(entry)
    const record = await tenant.storage.record(tenant.id, 'quarantine', id)
    const facts = { decision, by: decider.actor, version: entry.version }
    const body = { text: { reason }, facts, sealed: {} }
    const admin = [{ kind: 'quarantine', id, body, expects: record?.revision ?? 0 }] as const
    return { repeated: (await tenant.commit({ ...change, admin }, write)).repeated }
  })
  if (decided === null) throw new ColophonError('version_conflict', 'The memory was changed after it was listed.')
  return decided
}

async function problemWith(tenant: Tenant, entry: EntryVersion | undefined): Promise<ColophonError | null> {
  const isThere = entry !== undefined && !isExpired(entry, tenant.expiryNow())
  if (!isThere) return new ColophonError('not_found', 'There is no such memory.')
  if (entry.endedPosition === null && isBelow(entry.trust, await trustFloorOf(tenant))) return null
  return invalid('id', 'must name a current memory in quarantine')
}

/** The last decision about a memory in quarantine; null when there is none. */
export async function findDecision(tenant: Tenant, id: string): Promise<QuarantineRecord | null> {
  const record = await tenant.storage.record(tenant.id, 'quarantine', id)
  if (record === null) return null
  const { reason = '' } = record.body.text as { reason?: string }
  return { ...(record.body.facts as Omit<QuarantineRecord, 'reason'>), reason }
}
