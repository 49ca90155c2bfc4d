import type { Fence } from '../../core/forget/fence.ts'
import { limits } from '../../core/limits.ts'
import { tombstoneOfEvent } from '../provenance/sources.ts'
import type { Tenant } from '../tenant.ts'
import { settleClaim } from './claims.ts'
import type { Work } from './work.ts'

/** Source events behind the fence: what is left of each is its id, its service and when it came. */
export async function eraseSources(work: Work): Promise<void> {
  const { tenant } = work
  for await (const page of sourcePages(tenant, work.fences)) {
    await work.nextPage()
    for (const { sourceEventId, jobId } of page) {
      const stated = await tenant.storage.provenance.assertionsOfEvent(tenant.id, sourceEventId)
      for (const claimId of new Set(stated.map((item) => item.claimId))) await settleClaim(work, claimId)
      if (!work.isDryRun) await clearJob(work, jobId)
    }
    if (page.length > 0) {
      const { digest } = await tenant.context()
      const sources = page.map(({ sourceEventId, service, eventId }) => ({
        sourceEventId,
        tombstone: tombstoneOfEvent(digest, service ?? '', eventId ?? sourceEventId),
      }))
      const payloads = page.filter((source) => source.hasMessages && !work.seen.has(source.sourceEventId)).length
      await work.step({ forgetting: { sources } }, { sourceEvents: page.length, payloads })
    }
  }
}

/** The source events behind fences, page by page. */
export async function* sourcePages({ id, storage }: Tenant, fences: readonly Fence[]): AsyncGenerator<SourcePage> {
  const limit = limits.forgetPageMax
  for (let after: string | null = null; ; ) {
    const page: SourcePage = await storage.forget.sources({ tenantId: id, fences, after, limit })
    yield page
    after = page.at(-1)?.sourceEventId ?? null
    if (after === null || page.length < limit) return
  }
}

type SourcePage = Awaited<ReturnType<Tenant['storage']['forget']['sources']>>

/** What a job left behind that is over. One that is not finds its event gone, and ends by itself. */
async function clearJob({ tenant }: Work, jobId: string): Promise<void> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  if (job === null || job.endedAt === null) return
  await tenant.storage.jobs.update(tenant.id, jobId, (current) => ({
    ...current,
    result: null,
    progress: null,
    error: null,
  }))
}
