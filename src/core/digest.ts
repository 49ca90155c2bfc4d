import { createHmac, hash } from 'node:crypto'

/** The only hashing in the core. It comes from the platform, but it is pure: same input, same output. */

export function sha256(text: string): string {
  return hash('sha256', text, 'hex')
}

export function hmacSha256(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('hex')
}
