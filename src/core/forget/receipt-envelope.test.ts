import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { newSigner } from '../../../test/support/signer.ts'
import { publicKeyId } from './receipt.ts'
import { type Receipt, type ReceiptBody, receiptBytes, zeroCounts } from './receipt-body.ts'
import { isEnvelope, openReceiptEnvelope, type ReceiptEnvelope, sealReceipt } from './receipt-envelope.ts'

const signer = newSigner()
const body: ReceiptBody = {
  v: 1,
  id: 'fgt_1',
  host: 'colophon',
  tenant: 'acme',
  selector: { kind: 'subject', mac: 'q3n0' },
  cascade: true,
  matched: 5,
  requestedAt: '2026-03-01T12:00:00.000Z',
  completedAt: '2026-03-01T12:00:02.000Z',
  positions: { fenced: 58, erased: 63 },
  erased: { ...zeroCounts, entries: 5 },
  left: {},
  physical: 'erased',
  audit: { position: 63, hash: 'ab'.repeat(32) },
}
const signed = (given: ReceiptBody): Receipt => {
  const value = Buffer.from(signer.sign(receiptBytes(given))).toString('base64')
  return { ...given, signature: { algorithm: 'Ed25519', keyId: publicKeyId(signer.publicKey), value } }
}
const receipt = signed(body)
const envelope = sealReceipt(receipt, signer)
const statementOf = ({ payload }: ReceiptEnvelope) => JSON.parse(Buffer.from(payload, 'base64').toString('utf8'))
const open = (given: ReceiptEnvelope, publicKey = signer.publicKey) => openReceiptEnvelope(given, publicKey)

/** DSSE as its specification says, written again: nothing of ours takes part. */
function verifyDsse({ payloadType, payload, signatures }: ReceiptEnvelope, publicKey: string): boolean {
  const bytes = Buffer.from(payload, 'base64')
  const signedBytes = Buffer.concat([
    Buffer.from('DSSEv1 '),
    Buffer.from(`${payloadType.length} ${payloadType} `),
    Buffer.from(`${bytes.length} `),
    bytes,
  ])
  const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' })
  return signatures.every(({ sig }) => verify(null, signedBytes, key, Buffer.from(sig, 'base64')))
}

test('an envelope is verified by an independent reader of DSSE, and contains an in-toto Statement v1', () => {
  assert.equal(verifyDsse(envelope, signer.publicKey), true)
  assert.equal(envelope.payloadType, 'application/vnd.in-toto+json')
  const statement = statementOf(envelope)
  assert.equal(statement._type, 'https://in-toto.io/Statement/v1')
  assert.equal(statement.predicateType, 'urn:colophon:predicate:forget-receipt:v1')
  assert.deepEqual(statement.predicate, receipt)
  assert.deepEqual(statement.subject, [
    { name: 'fgt_1', digest: { sha256: createHash('sha256').update(receiptBytes(body)).digest('hex') } },
    { name: 'audit/63', digest: { sha256: 'ab'.repeat(32) } },
  ])
  assert.deepEqual(open(envelope), { ok: true, receipt })
})

/** Signs a changed statement with the host's key, as only a host that lies could. */
function resealed(change: (statement: Record<string, unknown>) => object): ReceiptEnvelope {
  const payload = Buffer.from(JSON.stringify(change(statementOf(envelope))))
  const head = Buffer.from(`DSSEv1 ${envelope.payloadType.length} ${envelope.payloadType} ${payload.length} `)
  const sig = Buffer.from(signer.sign(Buffer.concat([head, payload]))).toString('base64')
  return {
    ...envelope,
    payload: payload.toString('base64'),
    signatures: [{ keyid: publicKeyId(signer.publicKey), sig }],
  }
}

test('any change of the envelope, the statement or the receipt is refused', () => {
  const changed = Buffer.from(
    Buffer.from(envelope.payload, 'base64').toString('utf8').replace('"matched":5', '"matched":6'),
  )
  const [signature] = envelope.signatures
  assert.ok(signature)
  const cases: readonly [ReceiptEnvelope, RegExp][] = [
    [{ ...envelope, payload: changed.toString('base64') }, /changed after it was signed/],
    [{ ...envelope, payloadType: 'text/plain' as never }, /in-toto statement/],
    [
      { ...envelope, signatures: [{ ...signature, sig: `AAAA${signature.sig.slice(4)}` }] },
      /changed after it was signed/,
    ],
    [{ ...envelope, signatures: [] }, /another key/],
    [{ ...envelope, signatures: null as never }, /another key/],
    [resealed((statement) => ({ ...statement, predicateType: 'urn:other' })), /not contain the statement of a receipt/],
    [resealed((statement) => ({ ...statement, subject: [] })), /subjects/],
    [resealed((statement) => ({ ...statement, predicate: null })), /malformed/],
  ]
  for (const [given, problem] of cases) {
    const verdict = open(given)
    assert.equal(verdict.ok, false)
    assert.match(verdict.problem ?? '', problem)
  }
  assert.equal(verifyDsse({ ...envelope, payload: changed.toString('base64') }, signer.publicKey), false)
  const forged = sealReceipt({ ...receipt, matched: 6 }, signer)
  assert.match(open(forged).problem ?? '', /receipt was changed/, 'the receipt has its own signature')
  assert.match(open(envelope, newSigner().publicKey).problem ?? '', /another key/)
})

test('an envelope differs from a plain receipt by its payload type', () => {
  assert.deepEqual([isEnvelope(envelope), isEnvelope(receipt), isEnvelope(null)], [true, false, false])
})
