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
 * The order matters: runs are found by the entries they read, so entries go after them; claims are decided anew with the
 * entries that go; names go last.
 */
const erasing: readonly (readonly [Phase, (work: Work) => Promise<void>])[] = [
  ['runs', scrubRuns],
  ['keys', eraseKeys],
  ['claims', eraseClaims],
  ['entries', eraseEntries],
  ['sources', eraseSources],
  ['names', eraseNames],
]

/** What would be erased, by the same steps. */
export async function countAll(work: Work): Promise<Counts> {
  for (const [, erase] of erasing) await erase(work)
  return work.counts
}

/** The job of a forget: goes on where it was cut off, phase by phase, until the receipt is there. */
export async function runForget(
  tenant: Tenant,
  forgetId: string,
  lease: JobLease,
  signal: AbortSignal,
): Promise<unknown> {
  const record = await findForget(tenant, forgetId)
  if (record === null || record.facts.receipt !== null) return { forgetId }
  const fences = (await tenant.storage.forget.fences(tenant.id)).filter((fence) => fence.forgetId === forgetId)
  const work = new Work(tenant, { fences, cascade: record.facts.cascade, record, lease, signal })
  while (work.facts?.phase !== 'files' && work.facts?.phase !== 'done') {
    const index = erasing.findIndex(([phase]) => phase === work.facts?.phase)
    const step = erasing[index]
    if (step === undefined) {
      await checkErased(work)
      continue
    }
    await step[1](work)
    await work.note({ phase: erasing[index + 1]?.[0] ?? 'check' })
  }
  await finish(work, await purgeFiles(work))
  return { forgetId, counts: work.counts }
}
