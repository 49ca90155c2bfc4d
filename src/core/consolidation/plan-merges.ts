import { limits } from '../limits.ts'
import { type ConsolidationItem, type Merge, type MergeReason, mergeReasons } from './consolidation.ts'
import { findCorrections } from './find-corrections.ts'
import { findIncluded } from './find-included.ts'
import { blocksOf, type Found, type Node, newestFirst } from './merge-node.ts'
import { sharedWords } from './text-features.ts'

/** The share of words as they are written that two texts of the same forms must have in common. */
const sameWordsMin = 0.8

const rules = [findCorrections, findDuplicates, findRestatements, findIncluded]

/**
 * Plans what becomes one among the entries of a ref, which arrive in any order. The rules are applied until they find nothing more, as if
 * the outputs were stored already: so a pass over the result finds nothing. A generator, so that the caller can yield between two steps.
 */
export function* planMerges(items: readonly ConsolidationItem[]): Generator<void, Merge[]> {
  let nodes: Node[] = items.toSorted(byPlace).map((item, age) => ({ item, members: [item], reason: null, age }))
  let newest = nodes.length
  for (;;) {
    const before = nodes.length
    for (const find of rules) nodes = yield* merge(nodes, yield* find(nodes), () => newest++)
    if (nodes.length === before) break
  }
  return nodes.filter(({ members }) => members.length > 1).flatMap(toMerges)
}

function byPlace({ place: a }: ConsolidationItem, { place: b }: ConsolidationItem): number {
  return a.createdPosition - b.createdPosition || a.ordinal - b.ordinal
}

function* merge(nodes: readonly Node[], found: readonly Found[], nextAge: () => number): Generator<void, Node[]> {
  if (found.length === 0) return [...nodes]
  const gone = new Set<Node>()
  const made: Node[] = []
  for (const { kept, others, reason } of found) {
    yield
    const all = [kept, ...others]
    for (const node of all) gone.add(node)
    made.push({
      item: { ...kept.item, isCorrection: false },
      members: all.flatMap(({ members }) => members),
      reason: all.reduce((strongest, node) => strongerOf(strongest, node.reason), reason),
      age: nextAge(),
    })
  }
  return [...nodes.filter((node) => !gone.has(node)), ...made]
}

function strongerOf(a: MergeReason, b: MergeReason | null): MergeReason {
  return b !== null && mergeReasons.indexOf(b) > mergeReasons.indexOf(a) ? b : a
}

/** Entries with the same words: the newest is kept. */
function* findDuplicates(nodes: readonly Node[]): Generator<void, Found[]> {
  const found: Found[] = []
  for (const same of yield* blocksOf(nodes, ({ group, exact }) => `${group}\u0000${exact}`)) {
    const [kept, ...others] = newestFirst(same)
    if (kept !== undefined) found.push({ kept, others, reason: 'duplicate' })
  }
  return found
}

/** Entries with the same words in other forms, if most words are the same as they are written: the newest is kept. */
function* findRestatements(nodes: readonly Node[]): Generator<void, Found[]> {
  const found: Found[] = []
  for (const same of yield* blocksOf(nodes, ({ group, forms }) => forms && `${group}\u0000${forms}`)) {
    const clusters: Node[][] = []
    for (const node of newestFirst(same)) {
      yield
      const cluster = clusters
        .slice(0, limits.consolidationVariantsMax)
        .find(([first]) => first !== undefined && sharedWords(first.item.words, node.item.words) >= sameWordsMin)
      if (cluster === undefined) clusters.push([node])
      else cluster.push(node)
    }
    for (const [kept, ...others] of clusters)
      if (kept !== undefined && others.length > 0) found.push({ kept, others, reason: 'restatement' })
  }
  return found
}

/**
 * What one commit can do of a merge. If there are too many entries, those that are equal become fewer first, or else some of them are left:
 * the next round of the pass finds the rest.
 */
function toMerges({ item, members, reason }: Node): Merge[] {
  const size = limits.consolidationSourcesMax
  if (members.length <= size) return [toMerge(item, members, reason ?? 'duplicate')]
  const equal = [...Map.groupBy(members, ({ exact }) => exact).values()].filter(({ length }) => length > 1)
  if (equal.length === 0) {
    const others = members.filter(({ entryId }) => entryId !== item.entryId)
    return [toMerge(item, [item, ...others.slice(0, size - 1)], reason ?? 'duplicate')]
  }
  return equal.flatMap((same) => {
    const sorted = same.toSorted(byPlace)
    const parts = Array.from({ length: Math.ceil(sorted.length / size) }, (_, at) =>
      sorted.slice(at * size, (at + 1) * size),
    )
    return parts.flatMap((part) => {
      const newest = part.at(-1)
      return newest === undefined || part.length < 2 ? [] : [toMerge(newest, part, 'duplicate')]
    })
  })
}

function toMerge(kept: ConsolidationItem, members: readonly ConsolidationItem[], reason: MergeReason): Merge {
  const sources = members.toSorted(byPlace).map(({ entryId, version }) => ({ entryId, version }))
  return { reason, kept: kept.entryId, sources }
}
