import { ColophonError } from '../errors.ts'
import type { Relevance } from './relevance.ts'

/** The lowest relevance of a result: a number from 0 to 1, or `auto`, which keeps what probably bears on the query. */
export type MinRelevance = number | 'auto'

/** Throws `min_relevance_invalid` for anything else. */
export function checkMinRelevance(field: string, value: unknown): asserts value is MinRelevance {
  if (value === 'auto' || (typeof value === 'number' && value >= 0 && value <= 1)) return
  throw new ColophonError('min_relevance_invalid', `${field} must be a number from 0 to 1, or "auto".`, {
    details: { field },
  })
}

/** Whether a hit is kept. Hits are in order: of a list, `auto` keeps the first ones, or none. */
export function isRelevant({ relevance, isKept }: Relevance, min: MinRelevance | undefined): boolean {
  if (min === undefined) return true
  return min === 'auto' ? isKept : relevance >= min
}
