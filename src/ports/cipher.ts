/** Authenticated encryption of small values. */
export interface Cipher {
  newKey(): Uint8Array
  /** Encrypts; `boundTo` must be the same when opening. */
  seal(key: Uint8Array, plain: Uint8Array, boundTo: string): string
  /** Null when the key is another one or the text was changed. */
  open(key: Uint8Array, sealed: string, boundTo: string): Uint8Array | null
}
