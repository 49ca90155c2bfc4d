import { hmacKey, hmacSha256 } from '../../../src/core/audit/digest.ts'
import { type Batch, nothing } from '../../../src/core/commit/batch.ts'
import { type Redacted, redactBatch } from '../../../src/core/redaction/redaction.ts'

/** The key of every tenant that tests create. */
export const testMacKey = new Uint8Array(32)

/** Equal to what the context of a tenant creates. */
const testKey = hmacKey(testMacKey)
const testMac = (text: string) => hmacSha256(testKey, text).slice(0, 22)

/** A batch for tests that call the store directly: empty except for what the test names. */
export function batchOf(parts: Partial<Batch> & Pick<Batch, 'tenantId'>): Redacted<Batch> {
  return redactBatch(
    {
      actor: 'test',
      kind: 'memory.written',
      ...nothing,
      finish: null,
      idempotency: null,
      mac: testMac,
      redactionVersion: 1,
      ...parts,
    },
    (text) => text,
  )
}
