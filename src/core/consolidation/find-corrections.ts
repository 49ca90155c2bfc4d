import { blocksOf, type Found, type Node, newestFirst } from './merge-node.ts'

/**
 * Texts that a later text of the same writer corrects: the same sentence with another figure, month or day, and a word that announces it
 * ("Correction: Ada's room is 14."). If it could correct two different texts, it corrects none of them.
 */
export function* findCorrections(nodes: readonly Node[]): Generator<void, Found[]> {
  const found: Found[] = []
  for (const same of yield* blocksOf(nodes, ({ group, template }) => template && `${group}\u0000${template}`)) {
    yield
    const newest = newestFirst(same)
    const at = newest.findIndex(({ item }) => item.isCorrection)
    const kept = newest[at]
    if (kept === undefined) continue
    const older = newest.slice(at + 1)
    const stated = older.filter(({ item }) => !item.isCorrection && item.exact !== kept.item.exact)
    const corrected = older.some(({ item }) => item.exact !== kept.item.exact)
    const isClear = new Set(stated.map(({ item }) => item.exact)).size <= 1
    if (corrected && isClear) found.push({ kept, others: older, reason: 'correction' })
  }
  return found
}
