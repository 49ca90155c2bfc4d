import { type Hash, isSameHash, nodeHash } from './merkle.ts'

/** Leaves `from` to `to - 1`: a part of the tree whose root is one hash of a proof. */
export type LeafRange = { readonly from: number; readonly to: number }

/** A complete subtree of 2^height leaves. `index` counts the subtrees of this height from the left. */
export type Subtree = { readonly height: number; readonly index: number }

/** Not by shifting bits: a log may have more than 2^31 records. */
const half = (value: number) => Math.floor(value / 2)
const isOdd = (value: number) => value % 2 === 1

/** The largest power of two below `count`: the leaves of the left half of a tree. */
function leftLeaves(count: number): number {
  let leaves = 1
  while (leaves * 2 < count) leaves *= 2
  return leaves
}

/** The ranges whose roots prove that a leaf is in the tree, from the leaf upwards (RFC 6962, 2.1.1). */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  const ranges: LeafRange[] = []
  for (let from = 0, to = size; to - from > 1; ) {
    const middle = from + leftLeaves(to - from)
    if (index < middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
    }
  }
  return ranges.reverse()
}

/** The ranges whose roots prove that the first `size` leaves of a larger tree are the same (RFC 6962, 2.1.2). */
export function consistencyRanges(size: number, largerSize: number): readonly LeafRange[] {
  if (size === 0 || size === largerSize) return []
  const ranges: LeafRange[] = []
  let from = 0
  let to = largerSize
  while (size < to) {
    const middle = from + leftLeaves(to - from)
    if (size <= middle) {
      ranges.push({ from: middle, to })
      to = middle
    } else {
      ranges.push({ from, to: middle })
      from = middle
    }
  }
  // The smaller tree is this subtree itself: then the reader of the proof knows its root from the checkpoint.
  if (from > 0) ranges.push({ from, to })
  return ranges.reverse()
}

/** The complete subtrees that make up a range of a proof or a whole tree, from left to right. */
export function subtreesOf({ from, to }: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = []
  for (let at = from; at < to; ) {
    let height = 0
    let leaves = 1
    while (leaves * 2 <= to - at) {
      leaves *= 2
      height += 1
    }
    subtrees.push({ height, index: at / leaves })
    at += leaves
  }
  return subtrees
}

/** The root that an inclusion proof leads to; null when the proof does not fit the tree (RFC 9162, 2.1.3.2). */
function rootByInclusion(leaf: Hash, index: number, size: number, proof: readonly Hash[]): Hash | null {
  if (index < 0 || index >= size) return null
  let at = index
  let last = size - 1
  let root = leaf
  for (const hash of proof) {
    if (last === 0) return null
    if (isOdd(at) || at === last) {
      root = nodeHash(hash, root)
      while (!isOdd(at) && at !== 0) {
        at = half(at)
        last = half(last)
      }
    } else root = nodeHash(root, hash)
    at = half(at)
    last = half(last)
  }
  return last === 0 ? root : null
}

/** Whether the proof shows that a leaf is at this index of the tree. */
export function isIncluded(tree: {
  readonly leaf: Hash
  readonly index: number
  readonly size: number
  readonly root: Hash
  readonly proof: readonly Hash[]
}): boolean {
  const root = rootByInclusion(tree.leaf, tree.index, tree.size, tree.proof)
  return root !== null && isSameHash(root, tree.root)
}

export type TreeHead = { readonly size: number; readonly root: Hash }

/** Whether the proof shows that the larger tree begins with all leaves of the smaller one (RFC 9162, 2.1.4.2). */
export function isConsistent(smaller: TreeHead, larger: TreeHead, proof: readonly Hash[]): boolean {
  if (smaller.size > larger.size) return false
  if (smaller.size === larger.size) return proof.length === 0 && isSameHash(smaller.root, larger.root)
  // Every tree begins with the empty one.
  if (smaller.size === 0) return proof.length === 0
  let at = smaller.size - 1
  let last = larger.size - 1
  while (isOdd(at)) {
    at = half(at)
    last = half(last)
  }
  // A smaller tree of 2^n leaves is a subtree of the larger one, and its root begins the proof.
  const hashes = at === 0 ? [smaller.root, ...proof] : proof
  const [first, ...others] = hashes
  if (first === undefined) return false
  let smallerRoot = first
  let largerRoot = first
  for (const hash of others) {
    if (last === 0) return false
    if (isOdd(at) || at === last) {
      smallerRoot = nodeHash(hash, smallerRoot)
      largerRoot = nodeHash(hash, largerRoot)
      while (!isOdd(at) && at !== 0) {
        at = half(at)
        last = half(last)
      }
    } else largerRoot = nodeHash(largerRoot, hash)
    at = half(at)
    last = half(last)
  }
  return last === 0 && isSameHash(smallerRoot, smaller.root) && isSameHash(largerRoot, larger.root)
}
