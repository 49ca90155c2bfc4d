import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Cipher } from '../../ports/cipher.ts'

const nonceBytes = 12
const tagBytes = 16
/** Without an explicit length, shorter tags would be accepted too, and a tag of four bytes can be guessed. */
const fullTag = { authTagLength: tagBytes }

/** AES-256-GCM. `boundTo` is authenticated as additional data, so that a row copied to another tenant does not decrypt. */
export const aesCipher: Cipher = {
  newKey: () => randomBytes(32),
  seal(key, plain, boundTo) {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', key, nonce, fullTag).setAAD(Buffer.from(boundTo, 'utf8'))
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
  },
  open(key, sealed, boundTo) {
    const bytes = Buffer.from(sealed, 'base64')
    if (bytes.length < nonceBytes + tagBytes) return null
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), fullTag)
    decipher.setAAD(Buffer.from(boundTo, 'utf8'))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()])
    } catch {
      return null
    }
  },
}
