import type { Fence } from '../../core/forget/fence.ts'
import { limits } from '../../core/limits.ts'
import { tombstoneOfEvent } from '../provenance/source-events.ts'
import type { Tenant } from '../tenant.ts'
import { settleClaim } from './erase-claims.ts'
import type { ForgetProcess } from './forget-process.ts'

/** Erases fenced source events. Of each, the id, the service and the instant of receipt stay. */
export async function eraseSourceEvents(erasure: ForgetProcess): Promise<void> {
  const { tenant } = erasure
  for await (const page of sourcePages(tenant, erasure.fences)) {
    await erasure.nextPage()
    for (const { sourceEventId, jobId } of page) {
      const stated = await tenant.storage.provenance.assertionsOfEvent(tenant.id, sourceEventId)
      for (const claimId of new Set(stated.map((item) => item.claimId))) await settleClaim(erasure, claimId)
      if (!erasure.isDryRun) await clearJob(erasure, jobId)
    }
    if (page.length > 0) {
      const { digest } = await tenant.context()
      const sources = page.map(({ sourceEventId, service, eventId }) => ({
        sourceEventId,
        tombstone: tombstoneOfEvent(digest, service ?? '', eventId ?? sourceEventId),
      }))
      const payloads = page.filter((source) => source.hasMessages && !erasure.seen.has(source.sourceEventId)).length
      await erasure.step({ forgetting: { sources } }, { sourceEvents: page.length, payloads })
    }
  }
}

/** The fenced source events, page by page. */
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

/** Erases result, progress and error of an ended job. An unfinished job finds its event erased and completes by itself. */
async function clearJob({ tenant }: ForgetProcess, jobId: string): Promise<void> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  if (job === null || job.endedAt === null) return
  await tenant.storage.jobs.update(tenant.id, jobId, (current) => ({
    ...current,
    result: null,
    progress: null,
    error: null,
  }))
}
