import { isVisibleAt } from '../entries/as-of.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { Assertion } from './claim.ts'

/** The versions of an entry as they were at a position: later ones are left out, and later endings had not happened. */
export function versionsAt(versions: readonly EntryVersion[], position: number): EntryVersion[] {
  return versions
    .filter(({ recordedPosition }) => recordedPosition <= position)
    .map((version) =>
      isVisibleAt(version, position) ? { ...version, endedPosition: null, endedReason: null } : version,
    )
}

/** The assertions of a claim as they were at a position. The marks of containments are those of today: they have no position. */
export function assertionsAt(assertions: readonly Assertion[], position: number): Assertion[] {
  return assertions
    .filter(({ recordedPosition }) => recordedPosition <= position)
    .map((item) => ((item.withdrawnPosition ?? 0) > position ? { ...item, withdrawnPosition: null } : item))
}

/** The same assertions without the marks of containments. */
export function withoutContainments(assertions: readonly Assertion[]): Assertion[] {
  return assertions.map((item) => ({ ...item, containedBy: null, withdrawalContainedBy: null }))
}
