import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import { keyIdOf } from '../forget/receipt.ts'

/** Who made an export: stands in its trailer. */
export type ExportSignature = {
  readonly algorithm: 'Ed25519'
  readonly keyId: string
  /** SPKI, base64: whether the file is as it was signed can be checked by everybody, whose key it is cannot. */
  readonly publicKey: string
  /** The digest of the header and every row, line by line. */
  readonly chain: string
  readonly value: string
}

/** What is signed of an export: how many lines it has before the trailer, their digest, and their chain. */
export type SignedExport = { readonly lines: number; readonly sha256: string; readonly chain: string }

/**
 * `known`: this host's key signed the file. `unknown`: another key did, and the file is as it was signed. `missing`: nobody
 * signed it. `pending`: not all of the file is there yet. A file that differs from what was signed is refused.
 */
export type SignatureStatus = 'known' | 'unknown' | 'missing' | 'pending'

export type SignatureVerdict = { readonly status: SignatureStatus; readonly keyId?: string }

/**
 * A digest over lines that goes on from any line: a file that is sent in parts is followed from part to part by keeping
 * one value, which the state of an ordinary digest cannot do.
 */
export const lineDigest = (line: string): string => sha256(line)
export const nextLink = (link: string, digest: string): string => sha256(`${link}${digest}`)

/** The bytes that are signed. */
export function exportBytes({ lines, sha256: digest, chain }: SignedExport): Uint8Array {
  return new TextEncoder().encode(`colophon-export-v1\n${canonicalJson({ chain, lines, sha256: digest })}`)
}

/** Whether the key in the signature made it for exactly this. */
export function isSigned(file: SignedExport, signature: ExportSignature): boolean {
  if (signature.keyId !== keyIdOf(signature.publicKey) || signature.chain !== file.chain) return false
  try {
    const key = createPublicKey({ key: Buffer.from(signature.publicKey, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType !== 'ed25519') return false
    return verify(null, exportBytes(file), key, Buffer.from(signature.value, 'base64'))
  } catch {
    return false
  }
}
