import { generateKeyPairSync, sign } from 'node:crypto'
import type { Signer } from '../../src/app/engine.ts'

/** A signing key of a host, unique to the test. */
export function newSigner(): Signer {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
  return { host: 'test-host', publicKey: spki, sign: (bytes) => sign(null, bytes, privateKey) }
}
