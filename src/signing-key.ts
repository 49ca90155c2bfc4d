import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Signer } from './app/deps.ts'
import type { Config } from './config/config.ts'

/** An Ed25519 private key of 32 bytes, in the form that the platform reads. */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The key that receipts are signed with: given by a variable, or kept in a file that only its owner can read. */
export function openSigner(config: Config): Signer {
  if (config.signingKey !== null) return signerWith(fromSeed(Buffer.from(config.signingKey, 'base64')))
  if (config.storage === 'memory') return signerWith(generateKeyPairSync('ed25519').privateKey)
  const file = join(config.dataDir, 'signing.key')
  if (!existsSync(file)) {
    mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
    const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' })
    const seed = made.subarray(made.length - 32)
    try {
      writeFileSync(file, `${seed.toString('base64')}\n`, { mode: 0o600, flag: 'wx' })
    } catch (error) {
      // Of two that start together one makes the key, and the other reads it.
      if ((error as { code?: unknown }).code !== 'EEXIST') throw error
    }
  }
  return signerWith(fromSeed(Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')))
}

function fromSeed(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' })
}

function signerWith(key: KeyObject): Signer {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
  return { host: 'colophon', publicKey, sign: (bytes) => sign(null, bytes, key) }
}
