import { sha256 } from '../digest.ts'

/** 48 bits in hexadecimal: two of them can be added exactly. */
const digits = 12
const sumMax = 16 ** digits

/**
 * A sum over rows in any order: how many there are, and twice 48 bits of their hashes. The key must be random, so that an attacker cannot choose rows whose hashes
 * cancel each other.
 */
export class RowSum {
  readonly #key: string
  #first = 0
  #second = 0
  count = 0

  constructor(key: string) {
    this.#key = key
  }

  add(row: string): void {
    const hash = sha256(this.#key + row)
    this.#first = (this.#first + Number.parseInt(hash.slice(0, digits), 16)) % sumMax
    this.#second = (this.#second + Number.parseInt(hash.slice(digits, 2 * digits), 16)) % sumMax
    this.count += 1
  }

  equals(other: RowSum): boolean {
    return this.count === other.count && this.#first === other.#first && this.#second === other.#second
  }
}
