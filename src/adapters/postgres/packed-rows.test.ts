import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  appendNewest,
  inBoth,
  inEither,
  type Places,
  packRows,
  placeOf,
  removedBit,
  segmentOf,
  segmentRows,
  unpackAny,
  unpackRows,
} from './packed-rows.ts'

const place = fc.integer({ min: 0, max: segmentRows - 1 })
const rising = (values: Iterable<number>) => [...values].sort((a, b) => a - b)
const places = fc
  .oneof(
    fc.uniqueArray(place, { maxLength: 40 }),
    // Close together, as the rows of one batch with a common word.
    fc
      .tuple(place, fc.uniqueArray(fc.nat(300), { maxLength: 300 }))
      .map(([from, offsets]) => [...new Set(offsets.map((offset) => Math.min(from + offset, segmentRows - 1)))]),
  )
  .map(rising)

function listOf(packed: Uint8Array): number[] {
  const list: number[] = []
  appendNewest(list, unpackRows(packed), 0, segmentRows, segmentRows)
  return rising(list)
}

test('what is added and taken away, piece by piece, is what a list holds', () => {
  const change = fc.oneof(
    places.map((added) => ({ added, gone: [] as number[] })),
    places.map((gone) => ({ added: [] as number[], gone })),
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      const expected = new Set<number>()
      const pieces: Buffer[] = []
      for (const { added, gone } of changes) {
        for (const one of added) expected.add(one)
        for (const one of gone) expected.delete(one)
        pieces.push(packRows(added), ...gone.map((one) => packRows([one])).map(asGone))
      }
      assert.deepEqual(listOf(Buffer.concat(pieces)), rising(expected))
    }),
  )
})

test('several lists at once are what is in any of them', () => {
  const behindItsLength = (list: Buffer) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(list.length)
    return Buffer.concat([length, list])
  }
  const list = fc.tuple(places, places).map(([added, gone]) => {
    return Buffer.concat([packRows(added), ...gone.map((one) => asGone(packRows([one])))])
  })
  fc.assert(
    fc.property(fc.array(list, { maxLength: 8 }), (lists) => {
      const expected = lists.map(unpackRows).reduce<Places>(inEither, unpackRows(Buffer.alloc(0)))
      assert.deepEqual(unpackAny(Buffer.concat(lists.map(behindItsLength))), expected)
    }),
  )
})

test('rows close together take a bit each, and a row alone two bytes', () => {
  const all = Array.from({ length: 256 }, (_, at) => at + 700)
  assert.equal(packRows(all).length, 4 + 256 / 8)
  assert.equal(packRows([4_095]).length, 2)
  assert.equal(packRows([]).length, 0)
  assert.deepEqual(listOf(packRows([0, 1, 2, 3, 4, 4_095])), [0, 1, 2, 3, 4, 4_095])
})

test('sets are united and narrowed', () => {
  fc.assert(
    fc.property(places, places, (a, b) => {
      const list = (set: ReturnType<typeof unpackRows>) => {
        const found: number[] = []
        appendNewest(found, set, 0, segmentRows, segmentRows)
        return rising(found)
      }
      const [one, other] = [unpackRows(packRows(a)), unpackRows(packRows(b))]
      assert.deepEqual(list(inEither(one, other)), rising(new Set([...a, ...b])))
      assert.deepEqual(
        list(inBoth(one, other)),
        a.filter((nth) => b.includes(nth)),
      )
    }),
  )
})

test('numbers come newest first, none above the newest and no more than wanted', () => {
  const nths = [2 * segmentRows, 2 * segmentRows + 31, 2 * segmentRows + 32, 3 * segmentRows - 1]
  assert.deepEqual(nths.map(segmentOf), [2, 2, 2, 2])
  const set = unpackRows(packRows(nths.map(placeOf)))
  const newest = (limit: number, max: number) => {
    const list = [99_999]
    appendNewest(list, set, 2, limit, max)
    return list.slice(1)
  }
  assert.deepEqual(newest(3 * segmentRows, 10), nths.toReversed())
  assert.deepEqual(newest(2 * segmentRows + 31, 10), [2 * segmentRows + 31, 2 * segmentRows])
  assert.deepEqual(newest(3 * segmentRows, 3), [3 * segmentRows - 1, 2 * segmentRows + 32])
})

function asGone(packed: Buffer): Buffer {
  packed.writeUInt16BE(packed.readUInt16BE() | removedBit)
  return packed
}
