import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Cipher } from '../../ports/cipher.ts'

const nonceBytes = 12
const tagBytes = 16
/** Without the length, shorter tags would be taken too, and a tag of four bytes can be guessed. */
const whole = { authTagLength: tagBytes }

/** AES-256-GCM. What belongs to a ciphertext is bound to it, so that a row moved to another tenant does not open. */
export const aesCipher: Cipher = {
  newKey: () => randomBytes(32),
  seal(key, plain, boundTo) {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, whole).setAAD(Buffer.from(boundTo, 'utf8'))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  },
  open(key, sealed, boundTo) {
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length < nonceBytes + tagBytes) return null
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), whole)
    decipher.setAAD(Buffer.from(boundTo, 'utf8'))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
    } catch {
      return null
    }
  },
}
