import type { StoredSpelling } from '../../ports/people-store.ts'

/** Rows of spellings as both databases return them. */

export type SpellingRow = { spelling: string; last_position: number }
export type SpelledTwiceRow = { folded: string; spellings: string }

export function toSpelling({ spelling, last_position: lastPosition }: SpellingRow): StoredSpelling {
  return { spelling, lastPosition }
}

export function toSpelledTwice({ folded, spellings }: SpelledTwiceRow) {
  return { folded, spellings: JSON.parse(spellings) as string[] }
}
