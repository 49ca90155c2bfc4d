import { createHash, createHmac, createSecretKey, type Hash, hash, type KeyObject } from 'node:crypto'

/** All hashing of the core. It uses the platform, but it is pure: the same input gives the same output. */

/** SHA-256 in hexadecimal: for hashes that people compare, such as audit hashes and checksums. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** SHA-256 in base64url: for digests that are stored per entry, because it is shorter. */
export function shortSha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** The beginning of a text, for a SHA-256 in base64url that is finished later, any number of times. */
export function startShortSha256(text: string): StartedSha256 {
  return createHash('sha256').update(text)
}

export type StartedSha256 = Pick<Hash, 'copy'>

export function finishShortSha256(started: StartedSha256, rest: string): string {
  return started.copy().update(rest).digest('base64url')
}

/** SHA-256 of these bytes, one after the other: for the nodes of a Merkle tree. */
export function sha256Bytes(...parts: readonly Uint8Array[]): Uint8Array {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}

/** Prepares a key for `hmacSha256`, once: from the bytes of a key, a digest takes ten times as long. */
export function hmacKey(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/** HMAC-SHA-256 in base64url. */
export function hmacSha256(key: KeyObject, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** The SHA-256 of a text that is added in pieces. */
export function incrementalSha256(): { add(text: string): void; hex(): string } {
  const hash = createHash('sha256')
  return { add: (text) => void hash.update(text), hex: () => hash.digest('hex') }
}
