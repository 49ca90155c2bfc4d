import type { EntryVersion } from '../entries/entry.ts'
import { isBelow, type Trust } from '../entries/trust.ts'
import { type Assertion, isContained, isWithdrawn } from './claim.ts'
import { byRank } from './resolve-conflict.ts'

/**
 * The assertions of a claim that support the content that an entry had at the position. An edited entry had another content before.
 * `filter-sql.ts` says the same in SQL.
 */
export function supportersAmong(
  all: readonly Assertion[],
  { entryId }: Pick<EntryVersion, 'entryId'>,
  position: number,
): Assertion[] {
  const then = all.filter(
    (item) => item.recordedPosition <= position && (!isWithdrawn(item) || (item.withdrawnPosition ?? 0) > position),
  )
  const ofEntry = then.filter((assertion) => assertion.entryId === entryId)
  const own = ofEntry.find((item) => !isContained(item)) ?? ofEntry[0]
  const supporters = then.filter(({ contentKey }) => contentKey === own?.contentKey)
  const counted = supporters.filter((item) => !isContained(item))
  // A contained memory has only contained assertions. They are shown with it.
  return counted.length > 0 ? counted : supporters
}

/** The assertion that a content is ranked and shown by. A pin alone has none of its class. */
export function bestOf(supporters: readonly Assertion[], trust: Trust): Assertion | undefined {
  const ranked = [...supporters].sort(byRank)
  return ranked.find((assertion) => !isBelow(assertion.trust, trust)) ?? ranked[0]
}
