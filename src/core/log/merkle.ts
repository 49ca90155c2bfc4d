import { sha256Bytes } from '../audit/digest.ts'

/** The Merkle tree of RFC 6962: hashes of 32 bytes. */
export type Hash = Uint8Array

const leafPrefix = Uint8Array.of(0)
const nodePrefix = Uint8Array.of(1)

export function leafHash(leaf: Uint8Array): Hash {
  return sha256Bytes(leafPrefix, leaf)
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256Bytes(nodePrefix, left, right)
}

/** The root over these hashes: leaf hashes, or roots of complete subtrees of one height. */
export function treeRoot(hashes: readonly Hash[]): Hash {
  if (hashes.length === 0) return sha256Bytes()
  let row = hashes
  while (row.length > 1) {
    const above: Hash[] = []
    for (let at = 0; at + 1 < row.length; at += 2) above.push(nodeHash(row[at] as Hash, row[at + 1] as Hash))
    // The last one of an odd row has no sibling yet: it moves up as it is.
    if (row.length % 2 === 1) above.push(row.at(-1) as Hash)
    row = above
  }
  return row[0] as Hash
}

/** The root of a tree that grows leaf by leaf. It keeps one hash for each complete subtree, not the leaves. */
export class GrowingTree {
  #size = 0
  /** By height, the complete subtree that has no sibling yet. */
  readonly #subtrees: (Hash | undefined)[] = []

  get size(): number {
    return this.#size
  }

  add(leaf: Hash): void {
    let hash = leaf
    let height = 0
    for (let left = this.#subtrees[0]; left !== undefined; left = this.#subtrees[height]) {
      this.#subtrees[height] = undefined
      hash = nodeHash(left, hash)
      height += 1
    }
    this.#subtrees[height] = hash
    this.#size += 1
  }

  root(): Hash {
    const hashes = this.#subtrees.filter((hash) => hash !== undefined)
    return hashes.length === 0 ? treeRoot([]) : joinSubtrees(hashes.reverse())
  }
}

/** The root over complete subtrees of falling height, from left to right. */
export function joinSubtrees(hashes: readonly Hash[]): Hash {
  return hashes.reduceRight((right, left) => nodeHash(left, right))
}

export function isSameHash(one: Hash, other: Hash): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
