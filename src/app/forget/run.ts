import type { Counts } from '../../core/forget/receipt.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import type { Tenant } from '../tenant.ts'
import { eraseClaims } from './claims.ts'
import { eraseEntries } from './entries.ts'
import { checkErased, finish, purgeFiles } from './finish.ts'
import { eraseKeys } from './keys.ts'
import { eraseNames } from './names.ts'
import { findForget, type Phase } from './record.ts'
import { scrubRuns } from './runs.ts'
import { eraseSources } from './sources.ts'
import { Work } from './work.ts'

/**
 * The order matters. Runs are found by the entries that they read, so entries are erased after them. Claims are decided again together
 * with the entries. Names are erased last.
 */
const erasingPhases: readonly (readonly [Phase, (erasure: Work) => Promise<void>])[] = [
  ['runs', scrubRuns],
  ['keys', eraseKeys],
  ['claims', eraseClaims],
  ['entries', eraseEntries],
  ['sources', eraseSources],
  ['names', eraseNames],
]

/** Counts what would be erased: a dry run of the same phases. */
export async function countAll(erasure: Work): Promise<Counts> {
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
  const erasure = new Work(tenant, { fences, cascade: record.facts.cascade, record, lease, signal })
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
  await finish(erasure, await purgeFiles(erasure))
  return { forgetId, counts: erasure.counts }
}
