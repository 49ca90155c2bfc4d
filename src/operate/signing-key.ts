import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Signer } from '../app/engine.ts'
import type { Config } from '../config/settings.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'

/** The PKCS #8 prefix of an Ed25519 private key of 32 bytes. */
const seedPrefix = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Opens the key that signs receipts, exports and checkpoints: from a variable, or from a file that only its owner can read. */
export function openSigner(config: Config): Signer {
  if (config.signingKey !== null) return signerWith(fromSeed(Buffer.from(config.signingKey, 'base64')))
  if (config.storage === 'memory') return signerWith(generateKeyPairSync('ed25519').privateKey)
  return openSignerFile(join(config.dataDir, 'signing.key'))
}

/** Opens a signing key in a file of its own, and makes it first if there is none. */
export function openSignerFile(file: string): Signer {
  if (!existsSync(file)) {
    const made = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' })
    makeKeyFile(file, made.subarray(made.length - 32))
  }
  return signerWith(fromSeed(readKeyFile(file)))
}

function fromSeed(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([seedPrefix, seed]), format: 'der', type: 'pkcs8' })
}

function signerWith(key: KeyObject): Signer {
  const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64')
  return { host: 'colophon', publicKey, sign: (bytes) => sign(null, bytes, key) }
}
