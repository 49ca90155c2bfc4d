import type { PartRows } from '../commit/parts/index.ts'

/**
 * Ids of people are compared in Unicode NFC: `José` is one person, whether the letter é is one character or two. Ids are stored as they came,
 * and the first spelling of a person that is stored is the one that new memory gets.
 */

/** A spelling that a commit names, its form by which spellings are compared, and the position of the commit. */
export type NamedSpelling = { readonly folded: string; readonly spelling: string; readonly position: number }

/** The form by which ids of people are compared. */
export function foldName(name: string): string {
  return name.normalize('NFC')
}

/** Other characters have one form in NFC, which is not one of these: U+212A is the letter K, U+037E a semicolon, U+1FEF a backtick. */
const plain = /^[\0-:<-JL-_a-\x7f]*$/

/** Whether an id may have another spelling. Those of most ids need not be looked up. */
export function hasOtherSpellings(name: string): boolean {
  return !plain.test(name)
}

const subjectPrefix = 'subject:'

/** The person that a ref is about; null for any other ref. */
export function personOfRef(memoryRef: string): string | null {
  return memoryRef.startsWith(subjectPrefix) ? memoryRef.slice(subjectPrefix.length) : null
}

type Named = { readonly subject: string | null; readonly memoryRef?: string }

/** Whether a write names a person by an id that may have other spellings. */
export function namesSpelled({ subject, memoryRef = '' }: Named): boolean {
  return hasOtherSpellings(subject ?? '') || hasOtherSpellings(personOfRef(memoryRef) ?? '')
}

/** The spellings that the rows of a commit name. */
export function spellingsIn({ versions, sourceEvents, claims }: PartRows): readonly NamedSpelling[] {
  const found = new Map<string, NamedSpelling>()
  const note = (row: Named, position: number) => {
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
