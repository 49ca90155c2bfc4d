import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { GrowingTree, type Hash, joinSubtrees, leafHash, nodeHash, treeRoot } from './merkle.ts'
import { consistencyRanges, inclusionRanges, isConsistent, isIncluded, type LeafRange, subtreesOf } from './proofs.ts'

/** The inputs and roots of the tests of Certificate Transparency, whose tree this is. */
const inputs = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const roots = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')
const leaves = inputs.map((input) => leafHash(Buffer.from(input, 'hex')))

/** The definition of RFC 6962, 2.1, word for word: what the faster forms are compared with. */
function rootByDefinition(hashes: readonly Hash[]): Hash {
  if (hashes.length < 2) return hashes[0] ?? treeRoot([])
  let left = 1
  while (left * 2 < hashes.length) left *= 2
  return nodeHash(rootByDefinition(hashes.slice(0, left)), rootByDefinition(hashes.slice(left)))
}

const rootOf = (tree: readonly Hash[], { from, to }: LeafRange) => rootByDefinition(tree.slice(from, to))
const proofOf = (tree: readonly Hash[], ranges: readonly LeafRange[]) => ranges.map((range) => rootOf(tree, range))
const treeOf = (size: number, seed = 0) =>
  Array.from({ length: size }, (_, at) => leafHash(Buffer.from(`${seed}:${at}`)))

describe('the Merkle tree of RFC 6962', () => {
  test('has the known roots', () => {
    for (const [size, root] of roots.entries()) {
      assert.equal(hex(treeRoot(leaves.slice(0, size))), root)
      const growing = new GrowingTree()
      for (const leaf of leaves.slice(0, size)) growing.add(leaf)
      assert.deepEqual([growing.size, hex(growing.root())], [size, root])
    }
  })

  test('has the known proofs', () => {
    assert.deepEqual(proofOf(leaves, inclusionRanges(5, 8)).map(hex), [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
    assert.deepEqual(proofOf(leaves, inclusionRanges(2, 3)).map(hex), [
      'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    ])
    assert.deepEqual(proofOf(leaves, consistencyRanges(6, 8)).map(hex), [
      '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ])
    assert.deepEqual(proofOf(leaves, consistencyRanges(2, 5)).map(hex), [
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ])
  })

  test('is the same however its root is computed', () => {
    for (const size of [0, 1, 2, 3, 7, 255, 256, 257, 600]) {
      const tree = treeOf(size)
      assert.deepEqual(treeRoot(tree), rootByDefinition(tree))
      const subtrees = subtreesOf({ from: 0, to: size })
      const parts = subtrees.map(({ height, index }) => {
        const count = 2 ** height
        return treeRoot(tree.slice(index * count, index * count + count))
      })
      if (size > 0) assert.deepEqual(joinSubtrees(parts), rootByDefinition(tree))
    }
  })
})

const sizes = fc.integer({ min: 1, max: 300 })

describe('proofs', () => {
  test('show every leaf of every tree, and no other leaf, index, size or root', () => {
    fc.assert(
      fc.property(sizes, fc.nat(299), fc.nat(), (size, drawn, fault) => {
        const tree = treeOf(size)
        const index = drawn % size
        const proof = proofOf(tree, inclusionRanges(index, size))
        const honest = { leaf: tree[index] as Hash, index, size, root: treeRoot(tree), proof }
        assert.ok(isIncluded(honest))
        assert.ok(!isIncluded({ ...honest, leaf: leafHash(Buffer.from('another')) }))
        assert.ok(!isIncluded({ ...honest, root: leafHash(Buffer.from('another')) }))
        assert.ok(!isIncluded({ ...honest, index: size }))
        assert.ok(!isIncluded({ ...honest, proof: [...proof, proof[0] ?? (tree[0] as Hash)] }))
        if (size > 1) assert.ok(!isIncluded({ ...honest, index: (index + 1) % size }))
        if (proof.length === 0) return
        assert.ok(!isIncluded({ ...honest, proof: proof.slice(1) }))
        assert.ok(!isIncluded({ ...honest, proof: withFault(proof, fault) }))
      }),
    )
  })

  test('show that a tree continues another, and never that it continues a different one', () => {
    fc.assert(
      fc.property(sizes, sizes, fc.nat(), (one, other, fault) => {
        const [size, largerSize] = [Math.min(one, other), Math.max(one, other)]
        const tree = treeOf(largerSize)
        const proof = proofOf(tree, consistencyRanges(size, largerSize))
        const smaller = { size, root: treeRoot(tree.slice(0, size)) }
        const larger = { size: largerSize, root: treeRoot(tree) }
        assert.ok(isConsistent(smaller, larger, proof))
        assert.ok(isConsistent({ size: 0, root: treeRoot([]) }, larger, []))
        const split = { size, root: treeRoot(treeOf(size, 1)) }
        assert.ok(!isConsistent(split, larger, proof))
        assert.ok(!isConsistent(smaller, { ...larger, root: treeRoot(treeOf(largerSize, 1)) }, proof))
        assert.ok(!isConsistent(smaller, larger, [...proof, tree[0] as Hash]))
        if (proof.length > 0) assert.ok(!isConsistent(smaller, larger, withFault(proof, fault)))
        if (size < largerSize) assert.ok(!isConsistent(larger, smaller, proof))
      }),
    )
  })

  test('are computed for sizes beyond 32 bits', () => {
    const size = 2 ** 40 + 3
    assert.deepEqual(inclusionRanges(size - 1, size), [
      { from: 2 ** 40, to: 2 ** 40 + 2 },
      { from: 0, to: 2 ** 40 },
    ])
    const hash = leafHash(Buffer.from('a leaf'))
    const right = nodeHash(hash, hash)
    const left = leafHash(Buffer.from('2^40 leaves'))
    const root = nodeHash(left, nodeHash(right, hash))
    assert.ok(isIncluded({ leaf: hash, index: size - 1, size, root, proof: [right, left] }))
  })
})

/** One bit of one hash is changed. */
function withFault(proof: readonly Hash[], drawn: number): readonly Hash[] {
  const at = drawn % proof.length
  return proof.map((hash, index) =>
    index === at ? hash.map((byte, place) => (place === drawn % 32 ? byte ^ 1 : byte)) : hash,
  )
}
