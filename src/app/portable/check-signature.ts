import { ColophonError } from '../../core/errors.ts'
import {
  type ExportSignature,
  isExportSigned,
  nextLink,
  type SignatureVerdict,
} from '../../core/portable/export-signature.ts'
import type { Signer } from '../engine.ts'

type SignedPart = {
  readonly file: string
  readonly from: number
  readonly digests: { readonly header: string; readonly lines: readonly string[] }
  readonly signature: ExportSignature | null
}

/**
 * The chain links of a part, from the progress of the import on: the first is the link before `nextLine`. Undefined when an older
 * program version began the import and stored none.
 */
export function linksOf(
  { from, digests }: SignedPart,
  { nextLine, chain }: { readonly nextLine: number; readonly chain?: string | undefined },
): readonly string[] | undefined {
  let link = nextLine === 1 ? nextLink('', digests.header) : chain
  if (link === undefined) return undefined
  const links = [link]
  for (const digest of digests.lines.slice(Math.max(nextLine - from, 0))) {
    link = nextLink(link, digest)
    links.push(link)
  }
  return links
}

/**
 * Verifies the signature of a file, before a part of it is stored. Throws when the signature was not made for this file. The verdict is
 * `pending` before the last part.
 */
export function checkSignature(
  { file, signature }: SignedPart,
  {
    rows,
    end,
    signer,
  }: { readonly rows: number; readonly end: string | undefined | null; readonly signer: Signer | null },
): SignatureVerdict {
  const keyId = signature === null ? {} : { keyId: signature.keyId }
  if (signature !== null && !isExportSigned({ lines: rows + 1, sha256: file, chain: signature.chain }, signature))
    throw invalidSignature()
  // Not the last part.
  if (end === null) return { status: 'pending', ...keyId }
  if (signature === null) return { status: 'missing' }
  if (end !== undefined && end !== signature.chain) throw invalidSignature()
  const isKnown = end !== undefined && signer !== null && signer.publicKey === signature.publicKey
  return { status: isKnown ? 'known' : 'unknown', ...keyId }
}

function invalidSignature(): ColophonError {
  return new ColophonError(
    'import_file_invalid',
    'The signature does not match: the file was changed after it was signed.',
  )
}
