import type { MinRelevance } from '../core/search/min-relevance.ts'

/** The option of commands that search. */
export const minRelevanceOption = [
  '--min-relevance <minimum>',
  'leave out results of a lower relevance, from 0 to 1; auto keeps what probably bears on the query',
] as const

/** The server checks the value, and names what is allowed. */
export function parseMinRelevance(value: unknown): { readonly minRelevance?: MinRelevance } {
  if (value === undefined) return {}
  return { minRelevance: value === 'auto' ? value : (Number(value) as MinRelevance) }
}
