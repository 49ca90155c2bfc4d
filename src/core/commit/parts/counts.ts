import type { BatchPart } from './part.ts'

export type CountMembers = {
  /** What a pass over stored data did, in numbers. It is recorded also when all of them are 0. */
  readonly counts: Readonly<Record<string, number>> | null
}

/** The figures of a pass, such as a re-redaction or a sweep. They are in the audit record and nowhere else. */
export const counts: BatchPart<CountMembers> = {
  members: ['counts'],
  none: { counts: null },
  noRows: {},
  takesPosition: (_rows, batch) => batch.counts !== null,
  audit: (_rows, batch) => (batch.counts === null ? {} : { counts: sorted(batch.counts) }),
}

function sorted(numbers: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(numbers).sort(([a], [b]) => (a < b ? -1 : 1)))
}
