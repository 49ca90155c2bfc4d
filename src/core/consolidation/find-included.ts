import { limits } from '../limits.ts'
import type { Found, Node } from './merge-node.ts'

/** Entries whose every sentence another entry of the group has: that one is kept. Of several, the one with most sentences, then the newest. */
export function* findIncluded(nodes: readonly Node[]): Generator<void, Found[]> {
  const bySentence = new Map<string, Node[]>()
  for (const node of nodes) {
    yield
    for (const key of keysOf(node)) {
      const known = bySentence.get(key)
      if (known === undefined) bySentence.set(key, [node])
      else known.push(node)
    }
  }
  const others = new Map<Node, Node[]>()
  const isGone = new Set<Node>()
  for (const node of nodes) {
    yield
    const keys = keysOf(node)
    const rarest = keys
      .map((key) => bySentence.get(key) ?? [])
      .reduce<readonly Node[] | null>((few, some) => (few === null || some.length < few.length ? some : few), null)
    if (rarest === null || rarest.length < 2 || others.has(node)) continue
    const whole = yield* largest(node, keys, rarest, isGone)
    if (whole === null) continue
    isGone.add(node)
    others.set(whole, [...(others.get(whole) ?? []), node])
  }
  return [...others].map(([kept, parts]) => ({ kept, others: parts, reason: 'included' }))
}

function keysOf({ item: { group, sentences } }: Node): string[] {
  return (sentences ?? []).map((sentence) => `${group}\u0000${sentence}`)
}

/** A common sentence may be in very many entries: only the newest of them are compared. */
function* largest(
  node: Node,
  keys: readonly string[],
  candidates: readonly Node[],
  isGone: ReadonlySet<Node>,
): Generator<void, Node | null> {
  let best: Node | null = null
  for (const other of candidates.slice(-limits.consolidationIncludedMax)) {
    const size = other.item.sentences?.length ?? 0
    if (other === node || size <= keys.length || isGone.has(other)) continue
    yield
    const has = new Set(other.item.sentences)
    if (!(node.item.sentences ?? []).every((sentence) => has.has(sentence))) continue
    const bestSize = best?.item.sentences?.length ?? 0
    if (best === null || size > bestSize || (size === bestSize && other.age > best.age)) best = other
  }
  return best
}
