import { stemOf } from './stem.ts'
import { peopleAndPastimes } from './thesaurus/people-and-pastimes.ts'
import { smallerGroups } from './thesaurus/smaller-groups.ts'
import { workAndWorld } from './thesaurus/work-and-world.ts'

/**
 * The thesaurus for query expansion: groups of everyday English words, separated by `;`. The words before the bar of a group
 * are synonyms; those after it are hyponyms, parts or associated words. Written by hand and general; not mined from any
 * corpus.
 */
const parts = [peopleAndPastimes, workAndWorld, smallerGroups]

/** A term that a text may use instead of a query term, and how closely they are related, from 0 to 1. */
export type RelatedTerm = { readonly stem: string; readonly closeness: number }

/** A hyponym (narrower word) of a query term is closer to it than a hypernym (wider word). */
const closenessOf = { synonym: 1, narrower: 0.7, wider: 0.35 }

type Related = Map<string, Map<string, number>>

/** Built on first use: a process that does not search need not stem thousands of words. */
let related: Related | null = null

function readGroups(): Related {
  const words: Related = new Map()
  for (const group of parts.flatMap((part) => part.split(';'))) {
    const [synonyms = [], narrower = []] = group.split('|').map((part) => part.trim().split(/\s+/).map(stemOf))
    for (const word of synonyms) {
      for (const other of synonyms) relate(words, word, other, closenessOf.synonym)
      for (const other of narrower) {
        relate(words, word, other, closenessOf.narrower)
        relate(words, other, word, closenessOf.wider)
      }
    }
  }
  return words
}

function relate(words: Related, from: string, to: string, closeness: number): void {
  if (from === to) return
  const known = words.get(from) ?? new Map<string, number>()
  words.set(from, known.set(to, Math.max(known.get(to) ?? 0, closeness)))
}

/** The terms related to a stem, closest first; of equals, in the order of the thesaurus. */
export function relatedTermsOf(stem: string): readonly RelatedTerm[] {
  related ??= readGroups()
  const found = [...(related.get(stem) ?? [])].map(([other, closeness]) => ({ stem: other, closeness }))
  return found.sort((a, b) => b.closeness - a.closeness)
}
