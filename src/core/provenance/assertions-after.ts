import type { Assertion } from './claim.ts'
import type { SealedClaim } from './seal-claim.ts'

/** The assertions of a claim after a step, from those before it. It does what the SQL statements of the adapters do, in their order. */
export function assertionsAfter(before: readonly Assertion[], step: Omit<SealedClaim, 'after'>): readonly Assertion[] {
  const { claim, removed, detached, attached, withdrawn, restated, erased, repriced, assertions } = step
  if (step.isRemoved) return []
  const kept = before
    .filter(({ ordinal }) => !removed.includes(ordinal))
    .map((item) => (detached.includes(item.entryId ?? '') ? { ...item, entryId: null } : item))
    .map((item) => {
      const again = attached.find(({ contentKey }) => contentKey === item.contentKey)
      return again && item.withdrawnPosition === null ? { ...item, entryId: again.entryId } : item
    })
    .map((item) =>
      withdrawn.includes(item.contentKey) && item.withdrawnPosition === null
        ? { ...item, withdrawnPosition: claim.updatedPosition }
        : item,
    )
    .map((item) => {
      const clean = restated.find(({ ordinal }) => ordinal === item.ordinal)
      return clean ? { ...item, content: clean.content, seal: clean.seal } : item
    })
    .map((item) => (erased.includes(item.contentKey) ? { ...item, content: '', seal: '' } : item))
    .map((item) => {
      const price = repriced.findLast(({ service }) => service === item.service)
      return price ? { ...item, priority: price.priority } : item
    })
  return [...kept, ...assertions]
}
