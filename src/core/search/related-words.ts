import { peopleAndPastimes } from './everyday-words/people-and-pastimes.ts'
import { smallerGroups } from './everyday-words/smaller-groups.ts'
import { workAndWorld } from './everyday-words/work-and-world.ts'
import { stemOf } from './stem.ts'

/**
 * Everyday English: groups of words that are asked for by one another. Before the bar of a group, words that mean nearly the
 * same; after it, kinds of them, parts of them, or what goes with them. Written by hand, as general as a picture dictionary; no
 * text was mined for it.
 */
const groups = [peopleAndPastimes, workAndWorld, smallerGroups].flatMap((part) => part.split(';'))

/** A word that a text may use for one that was asked, and how surely it stands for it, up to 1. */
export type RelatedWord = { readonly stem: string; readonly closeness: number }

/** A kind of what was asked says more about it than the wider thing that it is a kind of. */
const closenessOf = { same: 1, kind: 0.7, wider: 0.35 }

const related = new Map<string, Map<string, number>>()

function relate(from: string, to: string, closeness: number): void {
  if (from === to) return
  const known = related.get(from) ?? new Map<string, number>()
  related.set(from, known.set(to, Math.max(known.get(to) ?? 0, closeness)))
}

for (const group of groups) {
  const [names = [], kinds = []] = group.split('|').map((part) => part.trim().split(/\s+/).map(stemOf))
  for (const name of names) {
    for (const other of names) relate(name, other, closenessOf.same)
    for (const kind of kinds) {
      relate(name, kind, closenessOf.kind)
      relate(kind, name, closenessOf.wider)
    }
  }
}

/** Closest first; of equals, as they are listed. */
export function relatedWords(stem: string): readonly RelatedWord[] {
  const found = [...(related.get(stem) ?? [])].map(([other, closeness]) => ({ stem: other, closeness }))
  return found.sort((a, b) => b.closeness - a.closeness)
}
