import { peopleAndPastimes } from './everyday-words/people-and-pastimes.ts'
import { smallerGroups } from './everyday-words/smaller-groups.ts'
import { workAndWorld } from './everyday-words/work-and-world.ts'
import { stemOf } from './stem.ts'

/**
 * Everyday English: groups of words that are asked for by one another. Before the bar of a group, words that mean nearly the
 * same; after it, kinds of them, parts of them, or what goes with them. Written by hand, as general as a picture dictionary; no
 * text was mined for it.
 */
const parts = [peopleAndPastimes, workAndWorld, smallerGroups]

/** A word that a text may use for one that was asked, and how surely it stands for it, up to 1. */
export type RelatedWord = { readonly stem: string; readonly closeness: number }

/** A kind of what was asked says more about it than the wider thing that it is a kind of. */
const closenessOf = { same: 1, kind: 0.7, wider: 0.35 }

type Related = Map<string, Map<string, number>>

/** Made when somebody asks: a command that does not search need not wait for thousands of stems. */
let related: Related | null = null

function readGroups(): Related {
  const words: Related = new Map()
  for (const group of parts.flatMap((part) => part.split(';'))) {
    const [names = [], kinds = []] = group.split('|').map((part) => part.trim().split(/\s+/).map(stemOf))
    for (const name of names) {
      for (const other of names) relate(words, name, other, closenessOf.same)
      for (const kind of kinds) {
        relate(words, name, kind, closenessOf.kind)
        relate(words, kind, name, closenessOf.wider)
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

/** Closest first; of equals, as they are listed. */
export function relatedWords(stem: string): readonly RelatedWord[] {
  related ??= readGroups()
  const found = [...(related.get(stem) ?? [])].map(([other, closeness]) => ({ stem: other, closeness }))
  return found.sort((a, b) => b.closeness - a.closeness)
}
