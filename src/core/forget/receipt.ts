import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '../audit/digest.ts'
import { canonicalJson } from '../canonical.ts'
import type { SelectorKind } from './selector.ts'

/** What a forget did to each layer. */
export const layers = [
  'entries',
  'versions',
  'tags',
  'claims',
  'assertions',
  'sourceEvents',
  'payloads',
  'runs',
  'calls',
  'compactions',
  'idempotencyKeys',
  'jobs',
  'auditRefs',
  'secrets',
] as const

export type Layer = (typeof layers)[number]
export type Counts = Readonly<Record<Layer, number>>

export const noCounts: Counts = Object.fromEntries(layers.map((layer) => [layer, 0])) as Counts

export function addCounts(counts: Counts, more: Partial<Counts>): Counts {
  return Object.fromEntries(layers.map((layer) => [layer, counts[layer] + (more[layer] ?? 0)])) as Counts
}

export const nothingMatched = 'nothing matched'

/** What is signed: who forgot what, by keyed digest, and what was found to be left afterwards. It names nobody. */
export type ReceiptBody = {
  readonly v: 1
  readonly id: string
  readonly host: string
  readonly tenant: string
  readonly selector: { readonly kind: SelectorKind; readonly mac: string }
  readonly cascade: boolean
  /** How much the request named before anything was erased; not in receipts of earlier versions. */
  readonly matched?: number
  /** Other entries that named the subject and were erased with it. */
  readonly mentions?: number
  /** Nothing was there to be erased. */
  readonly note?: typeof nothingMatched
  readonly requestedAt: string
  readonly completedAt: string
  /** Where the fence went up, and where the last row was gone. */
  readonly positions: { readonly fenced: number; readonly erased: number }
  readonly erased: Counts
  /** Rows that a look at the tables still found, layer by layer. */
  readonly left: Readonly<Record<string, number>>
  /** `erased`: no byte is left in the files of the database. Otherwise what is still to be done. */
  readonly physical: string
  /** The end of the audit chain once everything was gone. */
  readonly audit: { readonly position: number; readonly hash: string }
}

export type Receipt = ReceiptBody & {
  readonly signature: { readonly algorithm: 'Ed25519'; readonly keyId: string; readonly value: string }
}

/** The bytes that are signed. */
export function receiptBytes(body: ReceiptBody): Uint8Array {
  return new TextEncoder().encode(`colophon-receipt-v1\n${canonicalJson(body)}`)
}

/** A name for a public key, so that one knows which of several to take. */
export function keyIdOf(publicKey: string): string {
  return sha256(publicKey).slice(0, 16)
}

export type ReceiptVerdict = { readonly ok: boolean; readonly problem?: string; readonly note?: string }

/** Whether the holder of the key signed this. Needs nothing but the receipt and the key (SPKI, base64). */
export function verifyReceipt(receipt: unknown, publicKey: string): ReceiptVerdict {
  if (receipt === null || typeof receipt !== 'object' || Array.isArray(receipt))
    return { ok: false, problem: 'This is no receipt.' }
  const { signature, ...body } = receipt as Receipt
  if (signature === null || typeof signature !== 'object' || signature.algorithm !== 'Ed25519')
    return { ok: false, problem: 'The receipt has no Ed25519 signature.' }
  if (signature.keyId !== keyIdOf(publicKey)) return { ok: false, problem: 'The receipt was signed with another key.' }
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const isSigned = verify(null, receiptBytes(body), key, Buffer.from(String(signature.value), 'base64'))
    if (!isSigned) return { ok: false, problem: 'The receipt was changed after it was signed.' }
  } catch {
    return { ok: false, problem: 'The key is no Ed25519 public key, or the receipt is broken.' }
  }
  const left = Object.entries(body.left ?? {}).filter(([, count]) => count !== 0)
  if (left.length > 0) return { ok: false, problem: 'The receipt says that something was left.' }
  return { ok: true, ...(body.note === undefined ? {} : { note: body.note }) }
}
