import { canonicalJson } from '../canonical.ts'
import { invariant } from '../invariant.ts'
import type { ForgetSelectorKind } from './selector.ts'

/** A receipt and every check of it that needs no cryptography: the server, the command line and the browser share them. */

/** The kinds of rows that a forget erases and a receipt counts. */
export const forgetLayers = [
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
  'readers',
  'records',
  'schedules',
] as const

/** Layers that earlier versions did not count: their receipts and unfinished forgets have none of them. */
export const addedLayers: readonly ForgetLayer[] = ['readers', 'records', 'schedules']

export type ForgetLayer = (typeof forgetLayers)[number]
/** Erased rows per layer. */
export type ErasedCounts = Readonly<Record<ForgetLayer, number>>

/** Zero rows in every layer. */
export const zeroCounts: ErasedCounts = Object.fromEntries(forgetLayers.map((layer) => [layer, 0])) as ErasedCounts

/** The sum of two counts. */
export function addCounts(counts: ErasedCounts, more: Partial<ErasedCounts>): ErasedCounts {
  const sums = forgetLayers.map((layer) => {
    const added = more[layer] ?? 0
    invariant(Number.isSafeInteger(added) && added >= 0, 'a receipt counts rows that were erased')
    return [layer, (counts[layer] ?? 0) + added]
  })
  return Object.fromEntries(sums) as ErasedCounts
}

/** The note of a receipt when the selector matched no row. */
export const nothingMatched = 'nothing matched'

/** The signed part of a receipt: what was forgotten, by keyed digest, and what a check found afterwards. It contains no name. */
export type ReceiptBody = {
  readonly v: 1
  readonly id: string
  readonly host: string
  readonly tenant: string
  readonly selector: { readonly kind: ForgetSelectorKind; readonly mac: string }
  readonly cascade: boolean
  /** How many rows the selector matched before the erasure; absent in receipts of earlier versions. */
  readonly matched?: number
  /** Entries that mentioned the subject and were erased with it. */
  readonly mentions?: number
  /** Set when the selector matched no row. */
  readonly note?: typeof nothingMatched
  readonly requestedAt: string
  readonly completedAt: string
  /** The position of the fence, and the position at which the last row was erased. */
  readonly positions: { readonly fenced: number; readonly erased: number }
  readonly erased: ErasedCounts
  /** Rows that the check after the erasure still found, per layer. */
  readonly left: Readonly<Record<string, number>>
  /** `erased` when no byte is left in the files of the database; otherwise what the operator still has to do. */
  readonly physical: string
  /** The end of the audit chain after the erasure. */
  readonly audit: { readonly position: number; readonly hash: string }
}

/** The signed proof of a forget. */
export type Receipt = ReceiptBody & {
  readonly signature: { readonly algorithm: 'Ed25519'; readonly keyId: string; readonly value: string }
}

/** The bytes that are signed. */
export function receiptBytes(body: ReceiptBody): Uint8Array {
  return new TextEncoder().encode(`colophon-receipt-v1\n${canonicalJson(body)}`)
}

/** The result of verifying a receipt. */
export type ReceiptVerdict = { readonly ok: boolean; readonly problem?: string; readonly note?: string }

/** Why a receipt is refused. */
export const receiptProblems = {
  notAReceipt: 'The value is not a receipt.',
  noSignature: 'The receipt has no Ed25519 signature.',
  otherKey: 'The receipt was signed with another key.',
  changed: 'The receipt was changed after it was signed.',
  malformed: 'The key is not an Ed25519 public key, or the receipt is malformed.',
  rowsLeft: 'The receipt says that some rows were not erased.',
} as const

/** The signed part and the signature, or why there is none. */
export function readReceipt(
  value: unknown,
): { readonly body: ReceiptBody; readonly signature: Receipt['signature'] } | { readonly problem: string } {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { problem: receiptProblems.notAReceipt }
  const { signature, ...body } = value as Receipt
  if (signature === null || typeof signature !== 'object' || signature.algorithm !== 'Ed25519')
    return { problem: receiptProblems.noSignature }
  return { body, signature }
}

/** What a receipt says whose signature is valid. */
export function judgeReceipt(body: ReceiptBody): ReceiptVerdict {
  const left = Object.entries(body.left ?? {}).filter(([, count]) => count !== 0)
  if (left.length > 0) return { ok: false, problem: receiptProblems.rowsLeft }
  return { ok: true, ...(body.note === undefined ? {} : { note: body.note }) }
}
