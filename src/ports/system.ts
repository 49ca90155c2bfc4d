import type { IdPrefix } from '../core/ids.ts'

/** The clock and the randomness of the machine, passed in so that tests can replace them. */
export type System = {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new id: prefix, underscore, UUIDv7. */
  readonly newId: (prefix: IdPrefix) => string
  /** Random bytes as hex. */
  readonly newSalt: () => string
  readonly newKey: () => Uint8Array
  /** Compares in constant time, so that the time of a response reveals nothing. */
  readonly isSame: (a: string, b: string) => boolean
  /** 256 random bits in base64url. */
  readonly newSecret: () => string
}
