/** Authenticated encryption of small values. */
export interface Cipher {
  /** A new random key. */
  newKey(): Uint8Array
  /** Encrypts; `boundTo` must be the same when opening. */
  seal(key: Uint8Array, plain: Uint8Array, boundTo: string): string
  /** Decrypts; null when the key or `boundTo` is another one, or the text was changed. */
  open(key: Uint8Array, sealed: string, boundTo: string): Uint8Array | null
}
