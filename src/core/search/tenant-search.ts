import type { EntryVersion } from '../entries/entry.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'

/** A search over everything in a tenant: by words that occur as they are typed, or by the beginning of a name or an id. */

/** What such a search finds. */
export const searchKinds = ['memories', 'refs', 'sources', 'claims', 'runs'] as const
export type SearchKind = (typeof searchKinds)[number]

/** Where the next page begins, and the position that all pages are read at. */
export type TenantSearchCursor = Pick<EntryVersion, 'recordedPosition' | 'entryId' | 'version'> & {
  readonly position: number
}

/** The words of a query, in the form in which they are compared. */
export function wordsOfQuery(query: string): readonly string[] {
  return foldText(query).split(/\s+/u).filter(Boolean)
}

/** Whether every word occurs in one of the texts. A part of a word is enough, because a person sees results while typing. */
export function hasWords(words: readonly string[], texts: readonly (string | null)[]): boolean {
  const folded = texts.flatMap((text) => (text === null ? [] : [foldText(text)]))
  return words.every((word) => folded.some((text) => text.includes(word)))
}

function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

/** A text that sorts before every text with this prefix, and after nearly all others: a scan that starts there meets them first. */
export function justBefore(prefix: string): string {
  const last = prefix.charCodeAt(prefix.length - 1)
  // Half of a surrogate pair is no text: the scan then starts at the character before.
  if (Number.isNaN(last) || last <= 1 || (last >= 0xd800 && last <= 0xe000)) return prefix.slice(0, -1).toWellFormed()
  return `${prefix.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`
}

/** A text that sorts after every text with this prefix, for scans that go downwards. */
export function justAfter(prefix: string): string {
  return `${prefix}\uffff`
}

/** The beginning of a text for a list of results. */
export function beginningOf(content: string, max: number = limits.tenantSearchTextCharactersMax) {
  if (content.length <= max) return { content, isCut: false }
  return {
    content: content
      .slice(0, max)
      .toWellFormed()
      .replace(/\ufffd$/u, ''),
    isCut: true,
  }
}

export function encodeTenantSearchCursor({ position, recordedPosition, version, entryId }: TenantSearchCursor): string {
  return `${position}.${recordedPosition}.${version}.${entryId}`
}

/** The cursor in a request. Its position is from the client: the use case checks that the tenant has reached it. */
export function parseTenantSearchCursor(value: string): TenantSearchCursor {
  const parts = /^(\d{1,15})\.(\d{1,15})\.(\d{1,15})\.(.+)$/su.exec(value)
  const entryId = parts?.[4]
  if (!parts || entryId === undefined || entryId.length > limits.entryIdCharactersMax || entryId.includes('\u0000'))
    throw invalid('cursor', 'must be a cursor from an earlier page of the same search')
  const [position, recordedPosition, version] = parts.slice(1, 4).map(Number) as [number, number, number]
  return { position, recordedPosition, version, entryId }
}
