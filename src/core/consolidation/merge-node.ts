import type { ConsolidationItem, MergeReason } from './consolidation.ts'

/** One entry as it will be: it stands for itself, or for all that were merged into it. */
export type Node = {
  readonly item: ConsolidationItem
  readonly members: readonly ConsolidationItem[]
  readonly reason: MergeReason | null
  /** Greater is newer. An output is newer than what it is made of. */
  readonly age: number
}

/** Nodes that become one: the text of `kept` stays. */
export type Found = { readonly kept: Node; readonly others: readonly Node[]; readonly reason: MergeReason }

/** The nodes that share a key, at least two of them. Only those are compared: the keys are what makes the pass linear. */
export function* blocksOf(
  nodes: readonly Node[],
  keyOf: (item: ConsolidationItem) => string | null,
): Generator<void, Node[][]> {
  const first = new Map<string, Node>()
  const blocks = new Map<string, Node[]>()
  for (const node of nodes) {
    yield
    const key = keyOf(node.item)
    if (key === null) continue
    const other = first.get(key)
    if (other === undefined) first.set(key, node)
    else if (blocks.has(key)) blocks.get(key)?.push(node)
    else blocks.set(key, [other, node])
  }
  return [...blocks.values()]
}

export function newestFirst(nodes: readonly Node[]): Node[] {
  return nodes.toSorted((a, b) => b.age - a.age)
}
