import type { ErasedCounts } from '../../core/forget/receipt-body.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import type { Tenant } from '../tenant.ts'
import { eraseClaims } from './erase-claims.ts'
import { eraseEntries } from './erase-entries.ts'
import { eraseIdempotencyKeys } from './erase-idempotency-keys.ts'
import { eraseFromIndex } from './erase-index.ts'
import { eraseNames } from './erase-names.ts'
import { eraseSourceEvents } from './erase-source-events.ts'
import { checkErased, purgeFiles, storeReceipt } from './finish-forget.ts'
import { ForgetProcess } from './forget-process.ts'
import { type ForgetPhase, findForget } from './forget-record.ts'
import { scrubRuns } from './scrub-runs.ts'

/**
 * The order matters. Runs are found by the entries that they read, so entries are erased after them. Claims are decided again together
 * with the entries. Names are erased last.
 */
const erasingPhases: readonly (readonly [ForgetPhase, (erasure: ForgetProcess) => Promise<void>])[] = [
  ['runs', scrubRuns],
  ['keys', eraseIdempotencyKeys],
  ['claims', eraseClaims],
  ['entries', eraseEntriesAndIndex],
  ['sources', eraseSourceEvents],
  ['names', eraseNames],
]

async function eraseEntriesAndIndex(erasure: ForgetProcess): Promise<void> {
  await eraseEntries(erasure)
  await eraseFromIndex(erasure)
}

/** Counts what would be erased: a dry run of the same phases. */
export async function countAll(erasure: ForgetProcess): Promise<ErasedCounts> {
  for (const [, erase] of erasingPhases) await erase(erasure)
  return erasure.counts
}

/** The handler of the forget job. It resumes at the stored phase and runs phase by phase until the receipt is stored. */
export async function runForget(
  tenant: Tenant,
  forgetId: string,
  lease: JobLease,
  signal: AbortSignal,
): Promise<unknown> {
  const record = await findForget(tenant, forgetId)
  if (record === null || record.facts.receipt !== null) return { forgetId }
  const fences = (await tenant.storage.forget.fences(tenant.id)).filter((fence) => fence.forgetId === forgetId)
  const erasure = new ForgetProcess(tenant, { fences, cascade: record.facts.cascade, record, lease, signal })
  while (erasure.facts?.phase !== 'files' && erasure.facts?.phase !== 'done') {
    const index = erasingPhases.findIndex(([phase]) => phase === erasure.facts?.phase)
    const step = erasingPhases[index]
    if (step === undefined) {
      await checkErased(erasure)
      continue
    }
    await step[1](erasure)
    await erasure.note({ phase: erasingPhases[index + 1]?.[0] ?? 'check' })
  }
  await storeReceipt(erasure, await purgeFiles(erasure))
  return { forgetId, counts: erasure.counts }
}
