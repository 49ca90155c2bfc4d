import { constants, createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'

/** A public key of the issuer (RFC 7517). */
export type IssuerKey = JsonWebKey & { readonly kid?: string; readonly alg?: string; readonly use?: string }

type Algorithm = {
  readonly hash: string | null
  readonly kty: 'RSA' | 'EC' | 'OKP'
  readonly crv?: string
  readonly options?: { readonly padding?: number; readonly saltLength?: number; readonly dsaEncoding?: 'ieee-p1363' }
}

const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
const ecdsa = { dsaEncoding: 'ieee-p1363' } as const

/** Signatures with a public key only: with a shared secret (HS256), or `none`, every client that has the public key could sign. */
const algorithms: Readonly<Record<string, Algorithm>> = {
  RS256: { hash: 'sha256', kty: 'RSA' },
  RS384: { hash: 'sha384', kty: 'RSA' },
  RS512: { hash: 'sha512', kty: 'RSA' },
  PS256: { hash: 'sha256', kty: 'RSA', options: pss },
  ES256: { hash: 'sha256', kty: 'EC', crv: 'P-256', options: ecdsa },
  ES384: { hash: 'sha384', kty: 'EC', crv: 'P-384', options: ecdsa },
  EdDSA: { hash: null, kty: 'OKP', crv: 'Ed25519' },
}

const rsaBitsMin = 2_048

/** Whether a token with this algorithm can be signed by this key. The key decides: its type, and what it says about itself. */
export function canSign(key: IssuerKey, alg: string): boolean {
  const algorithm = Object.hasOwn(algorithms, alg) ? algorithms[alg] : undefined
  if (algorithm === undefined || key.kty !== algorithm.kty) return false
  if (algorithm.crv !== undefined && key.crv !== algorithm.crv) return false
  return (key.alg === undefined || key.alg === alg) && (key.use === undefined || key.use === 'sig')
}

/** Verifies the signature of a token. `key` can sign with `alg`. */
export function isSignedBy(key: IssuerKey, alg: string, signed: string, signature: Uint8Array): boolean {
  const algorithm = algorithms[alg]
  const publicKey = toPublicKey(key)
  if (algorithm === undefined || publicKey === null) return false
  return verify(algorithm.hash, Buffer.from(signed), { key: publicKey, ...algorithm.options }, signature)
}

function toPublicKey(key: IssuerKey): KeyObject | null {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' })
    const bits = publicKey.asymmetricKeyDetails?.modulusLength
    return bits !== undefined && bits < rsaBitsMin ? null : publicKey
  } catch {
    return null
  }
}
