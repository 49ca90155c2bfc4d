import type { WriteExcerpt } from '../../core/entries/entry-audit.ts'

/** Characters of a record's body that are read: the actor is its first member, and most names are short. */
export const excerptCharacters = 256

/** A record, with where its body has the name of an entry and the list of written entries: 0 for nowhere, 1 for its first character. */
export type ExcerptRow = { at: number; head: string; named_at: number; list_at: number }

export function toWriteExcerpt({ at, head, named_at, list_at }: ExcerptRow): WriteExcerpt & { readonly at: number } {
  return { at, head, isNamed: list_at > 0 && named_at > list_at }
}
