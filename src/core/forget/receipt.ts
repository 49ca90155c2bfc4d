import { createPublicKey, verify } from 'node:crypto'
import { sha256 } from '../audit/digest.ts'
import { judgeReceipt, type ReceiptVerdict, readReceipt, receiptBytes, receiptProblems } from './receipt-body.ts'

/** The id of a public key: the first 16 hexadecimal digits of its SHA-256. */
export function publicKeyId(publicKey: string): string {
  return sha256(publicKey).slice(0, 16)
}

/**
 * Verifies a receipt offline, with the public key of the host (SPKI, base64).
 *
 * @example
 * const { ok, problem } = verifyReceipt(receipt, publicKey)
 */
export function verifyReceipt(receipt: unknown, publicKey: string): ReceiptVerdict {
  const parts = readReceipt(receipt)
  if ('problem' in parts) return { ok: false, problem: parts.problem }
  const { body, signature } = parts
  if (signature.keyId !== publicKeyId(publicKey)) return { ok: false, problem: receiptProblems.otherKey }
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const isSigned = verify(null, receiptBytes(body), key, Buffer.from(String(signature.value), 'base64'))
    if (!isSigned) return { ok: false, problem: receiptProblems.changed }
  } catch {
    return { ok: false, problem: receiptProblems.malformed }
  }
  return judgeReceipt(body)
}
