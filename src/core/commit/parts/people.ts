import { foldName, hasOtherSpellings, type NamingRow, namesSpelled, personOfRef } from '../../people/spelling.ts'
import type { ClaimRows } from './claims.ts'
import type { EntryRows } from './entries.ts'
import type { BatchPart } from './part.ts'
import type { SourceEventRows } from './source-events.ts'

/** A spelling that a commit names, its form by which spellings are compared, and the position of the commit. */
export type NamedSpelling = { readonly folded: string; readonly spelling: string; readonly position: number }

/** The spellings of people. A batch has none of its own: they follow from the rows of the other parts. */
export const people: BatchPart<object> = { members: [], none: {}, noRows: {} }

type NamingRows = Pick<EntryRows, 'versions'> & SourceEventRows & ClaimRows

/** The spellings that the rows of a commit name. */
export function spellingsIn({
  versions,
  sourceEvents,
  claims,
}: Pick<NamingRows, 'versions' | 'sourceEvents' | 'claims'>): readonly NamedSpelling[] {
  const found = new Map<string, NamedSpelling>()
  const note = (row: NamingRow, position: number) => {
    if (!namesSpelled(row)) return
    for (const spelling of [row.subject, personOfRef(row.memoryRef ?? '')]) {
      if (spelling === null || !hasOtherSpellings(spelling)) continue
      const last = Math.max(position, found.get(spelling)?.position ?? 0)
      found.set(spelling, { folded: foldName(spelling), spelling, position: last })
    }
  }
  for (const version of versions) note(version, version.recordedPosition)
  for (const event of sourceEvents) note(event, event.recordedPosition)
  for (const { claim, isRemoved } of claims) if (!isRemoved) note(claim, claim.updatedPosition)
  return [...found.values()]
}
