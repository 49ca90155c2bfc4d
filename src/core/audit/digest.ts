import { createHash, createHmac, hash } from 'node:crypto'

/** The only hashing in the core. It comes from the platform, but it is pure: same input, same output. */

/** For what people compare and keep: audit hashes, checksums, keys. */
export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

/** For what is stored once per entry, where every byte counts. */
export function shortSha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

export function hmacSha256(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

/** A digest of a text that comes piece by piece. */
export function runningSha256(): { add(text: string): void; hex(): string } {
  const hash = createHash('sha256')
  return { add: (text) => void hash.update(text), hex: () => hash.digest('hex') }
}
