import { ColophonError } from '../../core/errors.ts'
import { type ExportSignature, isSigned, nextLink, type SignatureVerdict } from '../../core/portable/signature.ts'
import type { Signer } from '../engine.ts'

type SignedPart = {
  readonly file: string
  readonly from: number
  readonly digests: { readonly header: string; readonly lines: readonly string[] }
  readonly signature: ExportSignature | null
}

/**
 * The links of a file's chain behind the lines of a part, from where the import stands: the first is the one before
 * `nextLine`. Undefined when an older program began the import and kept none.
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
 * What the signature of a file is worth once this part is stored. Throws when it was not made for this file: before
 * anything of the part is stored.
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
  if (signature !== null && !isSigned({ lines: rows + 1, sha256: file, chain: signature.chain }, signature))
    throw wrong()
  // Not the last part.
  if (end === null) return { status: 'pending', ...keyId }
  if (signature === null) return { status: 'missing' }
  if (end !== undefined && end !== signature.chain) throw wrong()
  const isKnown = end !== undefined && signer !== null && signer.publicKey === signature.publicKey
  return { status: isKnown ? 'known' : 'unknown', ...keyId }
}

function wrong(): ColophonError {
  return new ColophonError(
    'import_file_invalid',
    'The signature does not fit: the file was changed after it was signed.',
  )
}
