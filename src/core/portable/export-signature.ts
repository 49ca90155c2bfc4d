import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import { publicKeyId } from '../forget/receipt.ts'

/** The signature in the trailer of an export. */
export type ExportSignature = {
  readonly algorithm: 'Ed25519'
  readonly keyId: string
  /** SPKI, base64. It shows that the file was not changed since it was signed, not to which host the key belongs. */
  readonly publicKey: string
  /** The digest of the header and every row, line by line. */
  readonly chain: string
  readonly value: string
}

/** The signed values of an export: the number of lines before the trailer, their digest, and their hash chain. */
export type SignedExport = { readonly lines: number; readonly sha256: string; readonly chain: string }

/**
 * `known`: this host signed the file. `unknown`: another key signed it, and the file is unchanged. `missing`: the file has no signature.
 * `pending`: parts of the file are still missing. A file that was changed after it was signed is refused.
 */
export type SignatureStatus = 'known' | 'unknown' | 'missing' | 'pending'

/** The result of the signature check. */
export type SignatureVerdict = { readonly status: SignatureStatus; readonly keyId?: string }

/**
 * A hash chain over lines, which can be continued from any line: a file that is sent in parts is verified by storing one value between
 * the parts. The state of an ordinary digest cannot be stored.
 */
export const lineDigest = (line: string): string => sha256(line)
export const nextLink = (link: string, digest: string): string => sha256(`${link}${digest}`)

/** The bytes that are signed. */
export function exportBytes({ lines, sha256: digest, chain }: SignedExport): Uint8Array {
  return new TextEncoder().encode(`colophon-export-v1\n${canonicalJson({ chain, lines, sha256: digest })}`)
}

/** Whether the signature is valid for the file and its own public key. */
export function isExportSigned(file: SignedExport, signature: ExportSignature): boolean {
  if (signature.keyId !== publicKeyId(signature.publicKey) || signature.chain !== file.chain) return false
  try {
    const key = createPublicKey({ key: Buffer.from(signature.publicKey, 'base64'), format: 'der', type: 'spki' })
    if (key.asymmetricKeyType !== 'ed25519') return false
    return verify(null, exportBytes(file), key, Buffer.from(signature.value, 'base64'))
  } catch {
    return false
  }
}
