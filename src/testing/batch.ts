import type { Batch } from '../core/batch.ts'
import { type Redacted, redactBatch } from '../core/redaction.ts'

/** A batch for tests that speak to the store directly: empty but for what the test names. */
export function batchOf(parts: Partial<Batch> & Pick<Batch, 'tenantId'>): Redacted<Batch> {
  return redactBatch(
    {
      actor: 'test',
      kind: 'memory.written',
      puts: [],
      revisions: [],
      ends: [],
      rewrites: [],
      erasures: [],
      historyFrom: null,
      runsPruned: [],
      expects: [],
      jobs: [],
      admin: [],
      changesRedaction: false,
      runs: [],
      holds: null,
      park: null,
      wakes: [],
      sourceEvents: [],
      payloadsRedacted: [],
      counts: null,
      sourceRewrites: [],
      claims: [],
      compactions: [],
      finish: null,
      idempotency: null,
      mac: (text) => text,
      redactionVersion: 1,
      ...parts,
    },
    (text) => text,
  )
}
