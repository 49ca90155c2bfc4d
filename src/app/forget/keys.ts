import type { Outcome } from '../../core/commit/batch.ts'
import { tombstoneOfKey } from '../../core/commit/idempotency.ts'
import { limits } from '../../core/limits.ts'
import { sourcePages } from './sources.ts'
import type { Work } from './work.ts'

/**
 * Idempotency keys whose first call stored something that goes. The key is a text of the caller's, so its row goes; a
 * tombstone under a keyed digest stays, by which a retry is refused: it would bring the text back.
 */
export async function eraseKeys(work: Work): Promise<void> {
  const { tenant } = work
  const { digest } = await tenant.context()
  const jobs = await jobsOfSources(work)
  for (let after: string | null = null; ; ) {
    await work.nextPage()
    const limit = limits.forgetPageMax
    const page: Awaited<ReturnType<typeof tenant.storage.forget.outcomes>> = await tenant.storage.forget.outcomes({
      tenantId: tenant.id,
      after,
      limit,
    })
    const hidden = await tenant.storage.forget.among(
      tenant.id,
      work.fences,
      page.flatMap(({ outcome }) => entriesOf(outcome)),
    )
    const gone = new Set(hidden.map(({ entryId }) => entryId))
    const outcomes = page.flatMap(({ key, outcome }) => {
      const isNamed = entriesOf(outcome).some((id) => gone.has(id)) || outcome.jobs.some((id) => jobs.has(id))
      return isNamed ? [{ key, tombstone: bringsBack(outcome) ? tombstoneOfKey(digest, key) : null }] : []
    })
    if (outcomes.length > 0) await work.step({ forgetting: { outcomes } }, { idempotencyKeys: outcomes.length })
    after = page.at(-1)?.key ?? null
    if (after === null || page.length < limit) return
  }
}

function entriesOf({ entries, ended }: Outcome): string[] {
  return [...entries, ...ended].map(({ entryId }) => entryId)
}

/** Whether the call, made again, would store a text. Ending an entry does not, and a step of a run is not made again. */
function bringsBack({ entries, jobs, runs = [] }: Outcome): boolean {
  return entries.length + jobs.length > 0 && runs.length === 0
}

/** The jobs of source events that go: what an add without an event id is known by. */
async function jobsOfSources({ tenant, fences }: Work): Promise<ReadonlySet<string>> {
  const jobs = new Set<string>()
  for await (const page of sourcePages(tenant, fences)) for (const { jobId } of page) jobs.add(jobId)
  return jobs
}
