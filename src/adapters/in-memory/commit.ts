import type { Batch, Committed, Sealed } from '../../core/commit/batch.ts'
import { toCommitted, toRepeated } from '../../core/commit/batch.ts'
import { repeatedOutcome } from '../../core/commit/idempotency.ts'
import { sealBatch } from '../../core/commit/seal.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { invariant } from '../../core/invariant.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import { modelParts, partState } from './parts/index.ts'
import type { TenantState } from './tenant-state.ts'

/** Seals a batch and keeps its rows. Nothing is shared between callers, so nothing has to be locked. */
export function commitToModel(tenant: TenantState, batch: Redacted<Batch>, now: number): Committed {
  const { idempotency } = batch
  const first = repeatedOutcome(idempotency, (key) => tenant.outcomes.get(key), now)
  if (first) return toRepeated(first)
  const sealed = sealBatch(batch, { ...partState(tenant), clock: tenant.clock }, now)
  checkOneWinner(tenant, sealed)
  for (const part of modelParts) part.clear?.(tenant, sealed)
  for (const part of modelParts) part.save(tenant, sealed, now)
  tenant.audit.push(...sealed.auditBefore, ...(sealed.audit ? [sealed.audit] : []))
  tenant.clock = sealed.clock
  if (idempotency)
    tenant.outcomes.set(idempotency.key, { digest: idempotency.digest, outcome: sealed.outcome, createdAt: now })
  return toCommitted(sealed)
}

/** The unique index of the databases: a claim has one live entry at most. */
function checkOneWinner(tenant: TenantState, { versions, endings, erasures }: Sealed): void {
  const ended = new Set([...endings, ...erasures].map(({ entryId }) => entryId))
  const isLive = (row: EntryVersion) => row.endedPosition === null && row.classification?.claimId != null
  if (!versions.some(isLive)) return
  const before = [...tenant.versions.values()].flat().filter((row) => isLive(row) && !ended.has(row.entryId))
  const claimIds = [...before, ...versions.filter(isLive)].map((row) => row.classification?.claimId)
  invariant(new Set(claimIds).size === claimIds.length, 'a claim has one winner')
}
