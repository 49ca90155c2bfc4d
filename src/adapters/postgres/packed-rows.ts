/**
 * Rows of one key within one segment of numbers, as bytes that are only ever added to: so one statement adds rows to a list
 * without reading it. Every piece begins with two bytes, its kind in the upper four bits and a place in the lower twelve:
 * one row; one row that was removed; or a run of bits, whose number of bytes follows in two more.
 */

/** Numbers in one segment: as many as twelve bits distinguish. */
export const segmentRows = 4_096

const kinds = { row: 0, bits: 1, gone: 2 } as const

/** What `gone` makes of a piece for one row, for statements that write it. */
export const removedBit = kinds.gone << 12

export const segmentOf = (nth: number): number => Math.floor(nth / segmentRows)
export const placeOf = (nth: number): number => nth % segmentRows

/** A set of places in a segment. */
export type Places = Uint32Array
const words = segmentRows / 32

/** Packs rising places, as one run of bits where that is shorter than naming them. */
export function packRows(places: readonly number[]): Buffer {
  const first = places[0] ?? 0
  const bytes = Math.floor(((places.at(-1) ?? 0) - first) / 8) + 1
  if (4 + bytes < 2 * places.length) {
    const packed = Buffer.alloc(4 + bytes)
    packed.writeUInt16BE((kinds.bits << 12) | first, 0)
    packed.writeUInt16BE(bytes, 2)
    for (const place of places) {
      const at = 4 + ((place - first) >>> 3)
      packed[at] = (packed[at] as number) | (1 << ((place - first) & 7))
    }
    return packed
  }
  const packed = Buffer.alloc(2 * places.length)
  places.forEach((place, at) => {
    packed.writeUInt16BE(place, 2 * at)
  })
  return packed
}

/** A row may be removed and added again: the last piece about it counts. */
export function unpackRows(packed: Uint8Array): Places {
  const set: Places = new Uint32Array(words)
  unpackInto(set, packed)
  return set
}

/** What is in any of several lists, each behind its length in four bytes. */
export function unpackAny(joined: Buffer): Places {
  const any: Places = new Uint32Array(words)
  const one: Places = new Uint32Array(words)
  for (let at = 0; at < joined.length; ) {
    const from = at + 4
    at = from + joined.readUInt32BE(at)
    // Most words are rare, and there may be very many of them: a row alone needs no set of its own.
    if (at - from === 2) put(any, joined.readUInt16BE(from))
    else {
      one.fill(0)
      unpackInto(one, joined.subarray(from, at))
      for (let word = 0; word < words; word++) any[word] = (any[word] as number) | (one[word] as number)
    }
  }
  return any
}

function unpackInto(set: Places, packed: Uint8Array): void {
  for (let at = 0; at + 1 < packed.length; ) {
    const head = ((packed[at] as number) << 8) | (packed[at + 1] as number)
    const place = head & (segmentRows - 1)
    at += 2
    if (head >>> 12 === kinds.row) put(set, place)
    else if (head >>> 12 === kinds.gone) remove(set, place)
    else {
      const bytes = ((packed[at] as number) << 8) | (packed[at + 1] as number)
      at += 2
      for (let nth = 0; nth < bytes; nth++) {
        for (let byte = packed[at + nth] as number; byte !== 0; byte &= byte - 1)
          put(set, place + 8 * nth + (31 - Math.clz32(byte & -byte)))
      }
      at += bytes
    }
  }
}

export function inEither(a: Places, b: Places): Places {
  return a.map((word, at) => word | (b[at] as number))
}

export function inBoth(a: Places, b: Places): Places {
  return a.map((word, at) => word & (b[at] as number))
}

/** Appends the numbers of a set, newest first, until the list is `max` long. */
export function appendNewest(list: number[], set: Places, segment: number, newest: number, max: number): void {
  for (let at = words - 1; at >= 0; at--) {
    let word = set[at] as number
    while (word !== 0) {
      const bit = 31 - Math.clz32(word)
      word = bit === 31 ? word & 0x7fffffff : word & ~(1 << bit)
      const nth = segment * segmentRows + 32 * at + bit
      if (nth > newest) continue
      if (list.length >= max) return
      list.push(nth)
    }
  }
}

function put(set: Places, place: number): void {
  set[place >>> 5] = (set[place >>> 5] as number) | (1 << (place & 31))
}

function remove(set: Places, place: number): void {
  set[place >>> 5] = (set[place >>> 5] as number) & ~(1 << (place & 31))
}
