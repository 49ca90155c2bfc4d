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

const related = new Map<string, Map<string, number>>()
/** The groups that are not read yet, the next one last. */
const unread = parts.flatMap((part) => part.split(';')).reverse()

/**
 * Reads the thesaurus, a group in each step, so that the first search need not block the event loop while it stems thousands of words.
 * A process that does not search does not read it.
 */
export function* readThesaurus(): Generator<void> {
  for (let group = unread.pop(); group !== undefined; group = unread.pop()) {
    readGroup(group)
    yield
  }
}

function readGroup(group: string): void {
  const [synonyms = [], narrower = []] = group.split('|').map((part) => part.trim().split(/\s+/).map(stemOf))
  for (const word of synonyms) {
    for (const other of synonyms) relate(word, other, closenessOf.synonym)
    for (const other of narrower) {
      relate(word, other, closenessOf.narrower)
      relate(other, word, closenessOf.wider)
    }
  }
}

function relate(from: string, to: string, closeness: number): void {
  if (from === to) return
  const known = related.get(from) ?? new Map<string, number>()
  related.set(from, known.set(to, Math.max(known.get(to) ?? 0, closeness)))
}

/** The terms related to a stem, closest first; of equals, in the order of the thesaurus. */
export function relatedTermsOf(stem: string): readonly RelatedTerm[] {
  if (unread.length > 0) for (const _step of readThesaurus());
  const found = [...(related.get(stem) ?? [])].map(([other, closeness]) => ({ stem: other, closeness }))
  return found.sort((a, b) => b.closeness - a.closeness)
}
