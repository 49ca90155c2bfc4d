import { createHash, createPublicKey, verify } from 'node:crypto'
import { canonicalJson } from '../canonical.ts'
import { publicKeyId, verifyReceipt } from './receipt.ts'
import { type Receipt, type ReceiptVerdict, receiptBytes } from './receipt-body.ts'

/** A receipt in the format of software attestations: an in-toto Statement in a DSSE envelope. */

const payloadType = 'application/vnd.in-toto+json'
const statementType = 'https://in-toto.io/Statement/v1'
const predicateType = 'urn:colophon:predicate:forget-receipt:v1'

/** An in-toto Statement about a receipt. */
export type ReceiptStatement = {
  readonly _type: typeof statementType
  readonly subject: readonly { readonly name: string; readonly digest: { readonly sha256: string } }[]
  readonly predicateType: typeof predicateType
  readonly predicate: Receipt
}

/** A DSSE envelope: the statement in base64, and its signatures. */
export type ReceiptEnvelope = {
  readonly payloadType: typeof payloadType
  readonly payload: string
  readonly signatures: readonly { readonly keyid: string; readonly sig: string }[]
}

/** The statement: the subjects are the receipt, by the digest of its signed bytes, and the head of the audit after the erasure. */
function toReceiptStatement(receipt: Receipt): ReceiptStatement {
  const { signature: _own, ...body } = receipt
  const { position, hash } = receipt.audit
  return {
    _type: statementType,
    subject: [
      { name: receipt.id, digest: { sha256: createHash('sha256').update(receiptBytes(body)).digest('hex') } },
      { name: `audit/${position}`, digest: { sha256: hash } },
    ],
    predicateType,
    predicate: receipt,
  }
}

/** Signs the statement of a receipt. */
export function sealReceipt(
  receipt: Receipt,
  signer: { readonly publicKey: string; readonly sign: (bytes: Uint8Array) => Uint8Array },
): ReceiptEnvelope {
  const payload = Buffer.from(canonicalJson(toReceiptStatement(receipt)))
  const sig = Buffer.from(signer.sign(preAuthEncoding(payloadType, payload))).toString('base64')
  return {
    payloadType,
    payload: payload.toString('base64'),
    signatures: [{ keyid: publicKeyId(signer.publicKey), sig }],
  }
}

/** Whether a value looks like an envelope, and not like a plain receipt. */
export function isEnvelope(value: unknown): value is ReceiptEnvelope {
  return value !== null && typeof value === 'object' && 'payloadType' in value
}

/**
 * Verifies an envelope offline, with the public key of the host (SPKI, base64): its signature, its subjects, and the receipt in it.
 *
 * @example
 * const { ok, problem, receipt } = openReceiptEnvelope(envelope, publicKey)
 */
export function openReceiptEnvelope(
  envelope: ReceiptEnvelope,
  publicKey: string,
): ReceiptVerdict & { readonly receipt?: Receipt } {
  const refused = (problem: string) => ({ ok: false, problem })
  if (envelope.payloadType !== payloadType) return refused('The envelope does not contain an in-toto statement.')
  const signatures = Array.isArray(envelope.signatures) ? envelope.signatures : []
  const signature = signatures.find((one) => one?.keyid === publicKeyId(publicKey))
  if (signature === undefined) return refused('The envelope was signed with another key.')
  try {
    const payload = Buffer.from(String(envelope.payload), 'base64')
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
    const bytes = preAuthEncoding(payloadType, payload)
    if (!verify(null, bytes, key, Buffer.from(String(signature.sig), 'base64')))
      return refused('The envelope was changed after it was signed.')
    const statement = JSON.parse(payload.toString('utf8')) as ReceiptStatement
    if (statement._type !== statementType || statement.predicateType !== predicateType)
      return refused('The envelope does not contain the statement of a receipt.')
    const receipt = statement.predicate
    if (canonicalJson(statement) !== canonicalJson(toReceiptStatement(receipt)))
      return refused('The subjects of the statement do not belong to its receipt.')
    return { ...verifyReceipt(receipt, publicKey), receipt }
  } catch {
    return refused('The key is not an Ed25519 public key, or the envelope is malformed.')
  }
}

/** The bytes that are signed: DSSE's pre-authentication encoding, so that a payload cannot pass as one of another type. */
function preAuthEncoding(type: string, payload: Uint8Array): Uint8Array {
  const head = `DSSEv1 ${Buffer.byteLength(type)} ${type} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}
