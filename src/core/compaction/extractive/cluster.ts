import type { Terms } from './terms.ts'

/** One sentence of the sources. `order` is its place in them: the oldest first. */
export type Statement = Terms & { readonly text: string; readonly order: number }

export type Cluster = { readonly best: Statement; readonly count: number }

/** Two sentences are near-equal when they share at least this part of their words. */
const similarityMin = 0.8

/**
 * Groups near-equal statements. Two sets that are so alike must share one of their rarest words, so only those are
 * compared (prefix filtering): the result is that of comparing all with all.
 */
export function* clusterStatements(statements: readonly Statement[]): Generator<void, Cluster[]> {
  const frequency = countWords(statements)
  const rarestFirst = (a: string, b: string) => (frequency.get(a) ?? 0) - (frequency.get(b) ?? 0) || (a < b ? -1 : 1)
  const byWord = new Map<string, number[]>()
  const groups: Statement[][] = []
  for (const statement of statements) {
    yield
    const words = statement.words.toSorted(rarestFirst)
    const prefix = words.slice(0, words.length - Math.ceil(similarityMin * words.length) + 1)
    const candidates = new Set(prefix.flatMap((word) => byWord.get(word) ?? []))
    const home = [...candidates].find((index) => isNearEqual(groups[index]?.[0], statement))
    if (home !== undefined) {
      groups[home]?.push(statement)
      continue
    }
    for (const word of prefix) {
      const known = byWord.get(word)
      if (known) known.push(groups.length)
      else byWord.set(word, [groups.length])
    }
    groups.push([statement])
  }
  return groups.map((group) => ({ best: group.reduce(moreTelling), count: group.length }))
}

function isNearEqual(a: Statement | undefined, b: Statement): boolean {
  if (a === undefined || a.distinction !== b.distinction) return false
  const inA = new Set(a.words)
  const shared = b.words.filter((word) => inA.has(word))
  if (shared.length < similarityMin * (a.words.length + b.words.length - shared.length)) return false
  // Who manages whom is a matter of order.
  const inB = new Set(b.words)
  return a.words.filter((word) => inB.has(word)).every((word, index) => word === shared[index])
}

/** More facts, then more words, then the newer one. */
function moreTelling(a: Statement, b: Statement): Statement {
  const gain = b.facts.length - a.facts.length || b.words.length - a.words.length || b.order - a.order
  return gain > 0 ? b : a
}

export function countWords(statements: readonly Statement[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { words } of statements) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return counts
}
