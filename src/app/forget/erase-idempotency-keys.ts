import type { Outcome } from '../../core/commit/batch.ts'
import { tombstoneOfKey } from '../../core/commit/idempotency.ts'
import { limits } from '../../core/limits.ts'
import { sourcePages } from './erase-source-events.ts'
import type { ForgetProcess } from './forget-process.ts'
import { forgottenPerson } from './forgotten-person.ts'

/**
 * Deletes the idempotency keys of calls that stored something forgotten, and those that name the subject: a key is a text of the caller. A tombstone with a
 * keyed digest stays: by it a retry, which would store the text again, is recognised and refused.
 */
export async function eraseIdempotencyKeys(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  const { digest } = await tenant.context()
  const jobs = await jobsOfSources(erasure)
  const { isNamed: hasName } = await forgottenPerson(erasure)
  const limit = limits.forgetPageMax
  const read = (after: string | null) => tenant.storage.forget.outcomes({ tenantId: tenant.id, after, limit })
  for await (const page of erasure.pages(read, ({ key }) => key, limit)) {
    const hidden = await tenant.storage.forget.among(
      tenant.id,
      erasure.fences,
      page.flatMap(({ outcome }) => entriesOf(outcome)),
    )
    const gone = new Set(hidden.map(({ entryId }) => entryId))
    const outcomes = page.flatMap(({ key, outcome }) => {
      const isNamed =
        hasName(key) || entriesOf(outcome).some((id) => gone.has(id)) || outcome.jobs.some((id) => jobs.has(id))
      return isNamed ? [{ key, tombstone: storesText(outcome) ? tombstoneOfKey(digest, key) : null }] : []
    })
    if (outcomes.length > 0) await erasure.step({ forgetting: { outcomes } }, { idempotencyKeys: outcomes.length })
  }
}

function entriesOf({ entries, ended }: Outcome): string[] {
  return [...entries, ...ended].map(({ entryId }) => entryId)
}

/** Whether a retry of the call would store a text. Ending an entry does not, and steps of runs are not retried by clients. */
function storesText({ entries, jobs, runs = [] }: Outcome): boolean {
  return entries.length + jobs.length > 0 && runs.length === 0
}

/** The jobs of forgotten source events. By the job, the outcome of an `add` without an event id is found. */
async function jobsOfSources({ tenant, fences }: ForgetProcess): Promise<ReadonlySet<string>> {
  const jobs = new Set<string>()
  for await (const page of sourcePages(tenant, fences)) for (const { jobId } of page) jobs.add(jobId)
  return jobs
}
