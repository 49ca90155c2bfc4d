import type { Place } from '../entries/entry.ts'

/** Where a vector is stored inside its ref. */
export type CodePlace = Place & { readonly version: number }

/** Numbers that are stored for each code: created position, ordinal, version, recorded position. */
const numbersPerRow = 4

const valuesOfByte = 256

/** Buckets by which estimates are sorted: finer than their error. */
const buckets = 4_096

/**
 * A code for each vector of a ref: the sign of each of its numbers, one bit each. Multiplied with a whole query it estimates the similarity well enough to say
 * which few hundred vectors are worth comparing. Nothing is trained, so a code depends on its own vector only.
 */
export class SignCodes {
  readonly #codeBytes: number
  #codes: Uint8Array
  #rows: Float64Array
  #count = 0

  constructor(dimensions: number, capacity = 1_024) {
    // A multiple of four, for the loop over them: bits that stand for no number add nothing.
    this.#codeBytes = 4 * Math.ceil(dimensions / 32)
    this.#codes = new Uint8Array(capacity * this.#codeBytes)
    this.#rows = new Float64Array(capacity * numbersPerRow)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#codes.byteLength + this.#rows.byteLength
  }

  add({ createdPosition, ordinal, version }: CodePlace, recordedPosition: number, vector: Float32Array): void {
    const at = this.#count
    if (at * numbersPerRow === this.#rows.length) this.#grow()
    this.#rows.set([createdPosition, ordinal, version, recordedPosition], at * numbersPerRow)
    const from = at * this.#codeBytes
    for (let nth = 0; nth < vector.length; nth++)
      if ((vector[nth] as number) > 0)
        this.#codes[from + (nth >> 3)] = (this.#codes[from + (nth >> 3)] as number) | (1 << (nth & 7))
    this.#count += 1
  }

  /** Into new arrays: a search that has its order from before still finds its places. */
  remove(places: readonly CodePlace[]): void {
    const wanted = new Set(places.map(({ createdPosition }) => createdPosition))
    const keys = new Set(places.map(keyOf))
    const kept = Uint32Array.from({ length: this.#count }, (_, at) => at).filter(
      (at) => !wanted.has(this.#rows[at * numbersPerRow] as number) || !keys.has(keyOf(this.#placeAt(this.#rows, at))),
    )
    if (kept.length === this.#count) return
    const codes = new Uint8Array(this.#codes.length)
    const rows = new Float64Array(this.#rows.length)
    kept.forEach((from, to) => {
      codes.set(this.#codes.subarray(from * this.#codeBytes, (from + 1) * this.#codeBytes), to * this.#codeBytes)
      rows.set(this.#rows.subarray(from * numbersPerRow, (from + 1) * numbersPerRow), to * numbersPerRow)
    })
    this.#codes = codes
    this.#rows = rows
    this.#count = kept.length
  }

  /** The places of all vectors that were recorded up to a position, the best estimate first: a function that returns the next few. */
  nearest(query: Float32Array, position: number): (count: number) => CodePlace[] {
    const rows = this.#rows
    const order = inOrder(this.#estimates(query, position))
    let at = 0
    return (count) => {
      const slots = order.subarray(at, at + count)
      at += slots.length
      return Array.from(slots, (slot) => this.#placeAt(rows, slot))
    }
  }

  #estimates(query: Float32Array, position: number): Float32Array {
    const table = sumsOfBytes(query, this.#codeBytes)
    const codes = this.#codes
    const rows = this.#rows
    const estimates = new Float32Array(this.#count)
    const tableEnd = table.length
    for (let at = 0, byte = 0; at < estimates.length; at++) {
      // Four sums, because an addition need not wait for the one before it: this loop is most of a search.
      let a = 0
      let b = 0
      let c = 0
      let d = 0
      for (let from = 0; from < tableEnd; from += 4 * valuesOfByte, byte += 4) {
        a += table[from + (codes[byte] as number)] as number
        b += table[from + valuesOfByte + (codes[byte + 1] as number)] as number
        c += table[from + 2 * valuesOfByte + (codes[byte + 2] as number)] as number
        d += table[from + 3 * valuesOfByte + (codes[byte + 3] as number)] as number
      }
      const isRecorded = (rows[at * numbersPerRow + 3] as number) <= position
      estimates[at] = isRecorded ? a + b + c + d : Number.NEGATIVE_INFINITY
    }
    return estimates
  }

  #placeAt(rows: Float64Array, slot: number): CodePlace {
    const [createdPosition = 0, ordinal = 0, version = 0] = rows.subarray(
      slot * numbersPerRow,
      (slot + 1) * numbersPerRow,
    )
    return { createdPosition, ordinal, version }
  }

  #grow(): void {
    const codes = new Uint8Array(this.#codes.length * 2)
    const rows = new Float64Array(this.#rows.length * 2)
    codes.set(this.#codes)
    rows.set(this.#rows)
    this.#codes = codes
    this.#rows = rows
  }
}

/** For each byte of a code and each of its 256 values, what the eight signs add to the product with the query. */
function sumsOfBytes(query: Float32Array, codeBytes: number): Float32Array {
  const sums = new Float32Array(codeBytes * valuesOfByte)
  for (let byte = 0; byte < codeBytes; byte++) {
    const first = byte * valuesOfByte
    const numbers = Array.from({ length: 8 }, (_, bit) => query[byte * 8 + bit] ?? 0)
    sums[first] = -numbers.reduce((sum, number) => sum + number, 0)
    for (let value = 1; value < valuesOfByte; value++) {
      const lowest = value & -value
      const added = 2 * (numbers[31 - Math.clz32(lowest)] as number)
      sums[first + value] = (sums[first + (value ^ lowest)] as number) + added
    }
  }
  return sums
}

/** The indexes of all finite estimates, the highest first, by counting: sorting 100,000 numbers would take longer than making them. */
function inOrder(estimates: Float32Array): Uint32Array {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (let at = 0; at < estimates.length; at++) {
    const estimate = estimates[at] as number
    if (estimate > most) most = estimate
    if (estimate < least && estimate !== Number.NEGATIVE_INFINITY) least = estimate
  }
  const scale = most > least ? (buckets - 1) / (most - least) : 0
  const bucketOf = new Uint16Array(estimates.length)
  // Where each bucket ends; after the loop below, where it starts. The last one is for what is left out.
  const ends = new Uint32Array(buckets + 1)
  for (let at = 0; at < estimates.length; at++) {
    const estimate = estimates[at] as number
    const bucket = estimate === Number.NEGATIVE_INFINITY ? buckets : Math.floor((most - estimate) * scale)
    bucketOf[at] = bucket
    ends[bucket] = (ends[bucket] as number) + 1
  }
  const leftOut = ends[buckets] as number
  for (let bucket = 1; bucket <= buckets; bucket++)
    ends[bucket] = (ends[bucket] as number) + (ends[bucket - 1] as number)
  const order = new Uint32Array(estimates.length)
  for (let at = estimates.length - 1; at >= 0; at--) {
    const bucket = bucketOf[at] as number
    const place = (ends[bucket] as number) - 1
    ends[bucket] = place
    order[place] = at
  }
  return order.subarray(0, estimates.length - leftOut)
}

function keyOf({ createdPosition, ordinal, version }: CodePlace): string {
  return `${createdPosition} ${ordinal} ${version}`
}
