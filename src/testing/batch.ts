import { type Batch, nothing } from '../core/batch.ts'
import { type Redacted, redactBatch } from '../core/redaction.ts'

/** A batch for tests that speak to the store directly: empty but for what the test names. */
export function batchOf(parts: Partial<Batch> & Pick<Batch, 'tenantId'>): Redacted<Batch> {
  return redactBatch(
    {
      actor: 'test',
      kind: 'memory.written',
      ...nothing,
      finish: null,
      idempotency: null,
      mac: (text) => text,
      redactionVersion: 1,
      ...parts,
    },
    (text) => text,
  )
}
