import { dropped, foldUnit, unfolded } from './fold-text.ts'
import { type HashedText, hashText } from './hashed-text.ts'

/** A node of the trie. Its text is the edge that leads to it; `id` is set when an inserted form ends here. */
type Node = { text: string; id: string | undefined; next: Map<number, Node> | undefined }

type TrieMatch = { readonly end: number; readonly id: string }

/** How many more comparisons are allowed. Without a limit, a text that nearly contains a long form everywhere costs text × form. */
export type ComparisonBudget = { left: number }

/**
 * A radix trie (compressed prefix tree) of the encoded forms of secrets, each with the id of its secret. It finds the
 * longest match at a position.
 */
export type RadixTrie = {
  insert(form: string, id: string): void
  longestAt(text: string, start: number, limit: number, budget: ComparisonBudget): TrieMatch | undefined
  /** The same for a trie of folded forms: the text is folded character by character. */
  longestFoldedAt(text: string, start: number, limit: number, budget: ComparisonBudget): TrieMatch | undefined
  /** The same with prefix hashes of the text: one comparison costs the same for any length. */
  longestHashedAt(text: HashedText, start: number, limit: number): TrieMatch | undefined
}

export function createRadixTrie(): RadixTrie {
  const root: Node = { text: '', id: undefined, next: undefined }
  return {
    insert: (form, id) => insert(root, form, id),
    longestAt: (text, start, limit, budget) => longestAt(root, text, start, limit, budget),
    longestFoldedAt: (text, start, limit, budget) => longestFoldedAt(root, text, start, limit, budget),
    longestHashedAt: (text, start, limit) => longestHashedAt(root, text, start, limit),
  }
}

function longestAt(
  root: Node,
  text: string,
  start: number,
  limit: number,
  budget: ComparisonBudget,
): TrieMatch | undefined {
  let found: TrieMatch | undefined
  let node: Node | undefined = root.next?.get(text.charCodeAt(start))
  let at = start
  while (node !== undefined && at + node.text.length <= limit) {
    // Comparing a whole edge is many times faster than comparing character by character.
    budget.left -= 1 + (node.text.length >>> 5)
    if (!text.startsWith(node.text, at)) break
    at += node.text.length
    if (node.id !== undefined) found = { end: at, id: node.id }
    node = at < text.length ? node.next?.get(text.charCodeAt(at)) : undefined
  }
  return found
}

function longestFoldedAt(
  root: Node,
  text: string,
  start: number,
  limit: number,
  budget: ComparisonBudget,
): TrieMatch | undefined {
  let found: TrieMatch | undefined
  let node: Node | undefined = root
  let at = start
  while (node !== undefined) {
    for (let part = 0; part < node.text.length; part++) {
      const before = at
      at = skipDropped(text, at, limit)
      budget.left -= 1 + at - before
      if (at >= limit || readUnit(text, at) !== node.text.charCodeAt(part)) return found
      at += 1
    }
    if (node.id !== undefined) found = { end: at, id: node.id }
    at = skipDropped(text, at, limit)
    node = at < limit ? node.next?.get(readUnit(text, at)) : undefined
  }
  return found
}

function longestHashedAt(root: Node, text: HashedText, start: number, limit: number): TrieMatch | undefined {
  let found: TrieMatch | undefined
  let node: Node | undefined = root.next?.get(text.text.charCodeAt(start))
  let at = start
  while (node !== undefined && at + node.text.length <= limit) {
    if (text.hashOf(at, at + node.text.length) !== hashOfNode(node)) break
    at += node.text.length
    if (node.id !== undefined) found = { end: at, id: node.id }
    node = at < limit ? node.next?.get(text.text.charCodeAt(at)) : undefined
  }
  return found
}

/** Computed on first use: most tries are never searched by hash. */
const nodeHashes = new WeakMap<Node, number>()

function hashOfNode(node: Node): number {
  const known = nodeHashes.get(node)
  if (known !== undefined) return known
  const hash = hashText(node.text)
  nodeHashes.set(node, hash)
  return hash
}

function skipDropped(text: string, from: number, limit: number): number {
  let at = from
  while (at < limit && foldUnit(text.charCodeAt(at)) === dropped) at += 1
  return at
}

/** In a text that is already folded, a character that does not fold into one unit represents itself. */
function readUnit(text: string, at: number): number {
  const code = text.charCodeAt(at)
  const unit = foldUnit(code)
  return unit === unfolded ? code : unit
}

/** When two secrets have the same value, the id inserted first is kept. */
function insert(root: Node, form: string, id: string): void {
  let node = root
  let at = 0
  while (at < form.length) {
    node.next ??= new Map()
    const next = node.next.get(form.charCodeAt(at))
    if (next === undefined) {
      node.next.set(form.charCodeAt(at), { text: form.slice(at), id, next: undefined })
      return
    }
    const shared = sharedLength(next.text, form, at)
    if (shared < next.text.length) splitAt(next, shared)
    node = next
    at += shared
  }
  node.id ??= id
}

function sharedLength(text: string, form: string, from: number): number {
  let length = 0
  while (length < text.length && text.charCodeAt(length) === form.charCodeAt(from + length)) length++
  return length
}

function splitAt(node: Node, length: number): void {
  const rest: Node = { text: node.text.slice(length), id: node.id, next: node.next }
  node.next = new Map([[rest.text.charCodeAt(0), rest]])
  node.text = node.text.slice(0, length)
  node.id = undefined
}
