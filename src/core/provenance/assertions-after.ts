import { type Assertion, isWithdrawn } from './claim.ts'
import type { SealedClaim } from './seal-claim.ts'

/** The assertions of a claim after a step, from those before it. It does what the SQL statements of the adapters do, in their order. */
export function assertionsAfter(before: readonly Assertion[], step: Omit<SealedClaim, 'after'>): readonly Assertion[] {
  const { claim, removed, detached, attached, withdrawn, restated, erased, repriced, marked, assertions } = step
  if (step.isRemoved) return []
  const kept = before
    .filter(({ ordinal }) => !removed.includes(ordinal))
    .map((item) => (detached.includes(item.entryId ?? '') ? { ...item, entryId: null } : item))
    .map((item) => {
      const again = attached.find(({ contentKey }) => contentKey === item.contentKey)
      return again && !isWithdrawn(item) ? { ...item, entryId: again.entryId } : item
    })
    .map((item) =>
      withdrawn.includes(item.contentKey) && !isWithdrawn(item)
        ? withMarks({ ...item, withdrawnPosition: claim.updatedPosition }, { withdrawalContainedBy: null })
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
  const marks = new Map(marked.map((item) => [item.ordinal, item]))
  const covered = marks.size === 0 ? kept : kept.map((item) => withMarks(item, marks.get(item.ordinal) ?? {}))
  return [...covered, ...assertions]
}

/** The assertion with other marks. A mark that is null is left out. */
function withMarks(
  assertion: Assertion,
  marks: Partial<Pick<Assertion, 'containedBy' | 'withdrawalContainedBy'>>,
): Assertion {
  return withoutEmptyMarks({ ...assertion, ...marks })
}

/** Without marks that are null: they say the same as none. */
export function withoutEmptyMarks<T extends Partial<Pick<Assertion, 'containedBy' | 'withdrawalContainedBy'>>>({
  containedBy,
  withdrawalContainedBy,
  ...assertion
}: T) {
  return {
    ...assertion,
    ...(containedBy ? { containedBy } : {}),
    ...(withdrawalContainedBy ? { withdrawalContainedBy } : {}),
  }
}
