import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { subtreesOf } from './proofs.ts'
import { entryBundle, formatTilePath, hashesAtLevel, parseTilePath, placeInTiles } from './tiles.ts'

describe('tiles', () => {
  test('have the paths of tlog-tiles', () => {
    const paths = {
      '0/x001/x234/067': { level: 0, tile: 1_234_067, width: 256, isEntries: false },
      '0/x001/x234/067.p/8': { level: 0, tile: 1_234_067, width: 8, isEntries: false },
      '1/000': { level: 1, tile: 0, width: 256, isEntries: false },
      'entries/003.p/255': { level: 0, tile: 3, width: 255, isEntries: true },
    }
    for (const [path, name] of Object.entries(paths)) {
      assert.deepEqual(parseTilePath(path), name)
      assert.equal(formatTilePath(name), path)
    }
  })

  test('have one path each', () => {
    fc.assert(
      fc.property(
        fc.record({
          level: fc.nat(5),
          tile: fc.integer({ min: 0, max: 999_999_999_999 }),
          width: fc.integer({ min: 1, max: 256 }),
          isEntries: fc.constant(false),
        }),
        (name) => assert.deepEqual(parseTilePath(formatTilePath(name)), { ...name }),
      ),
    )
    const others = [
      '0/0',
      '0/00',
      '0/x000/001',
      '0/000.p/0',
      '0/000.p/256',
      '0/000.p/007',
      '6/000',
      '00/000',
      '0/x001',
      '0/1/2',
      '0/000/',
    ]
    for (const path of others) assert.equal(parseTilePath(path), null, path)
  })

  test('contain every subtree of a tree as part of one tile', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000_000 }), (size) => {
        for (const subtree of subtreesOf({ from: 0, to: size })) {
          const { level, tile, first, count } = placeInTiles(subtree)
          assert.ok(first + count <= 256)
          assert.ok(tile * 256 + first + count <= hashesAtLevel(level, size))
          const leaves = 256 ** level
          assert.equal((tile * 256 + first) * leaves, subtree.index * 2 ** subtree.height)
          assert.equal(count * leaves, 2 ** subtree.height)
        }
      }),
    )
  })

  test('have entry bundles with the length before each leaf', () => {
    assert.deepEqual([...entryBundle([Uint8Array.of(7), new Uint8Array(258)])].slice(0, 6), [0, 1, 7, 1, 2, 0])
  })
})
