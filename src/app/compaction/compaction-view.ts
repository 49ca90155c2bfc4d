import { toInstant } from '../../core/check.ts'
import { type Compaction, isDistillation } from '../../core/compaction/compaction.ts'
import { type MergeReason, reasonOf } from '../../core/consolidation/consolidation.ts'
import { ColophonError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'
import { compactionJobKind } from './compaction-schedule.ts'
import { jobIdOf } from './request-compaction.ts'

/** A compaction as clients see it. A requested one is `pending` until it is made; `empty` means there was nothing to compact. */
export type CompactionView = {
  readonly id: string
  readonly memoryRef: string
  readonly status: 'pending' | 'completed' | 'undone' | 'empty' | 'failed' | 'cancelled'
  readonly outputId: string | null
  readonly sourceCount: number
  readonly sourceIds?: readonly string[]
  readonly byteSize: number
  readonly runId: string | null
  readonly summariser: string | null
  /** Why a consolidation made it; absent for a summary. */
  readonly reason?: MergeReason
  readonly at: string
  readonly undoneAt?: string
  readonly error?: { readonly code: string; readonly message: string }
}

/** After the ids of all compactions, and before those of distillations, which have a list of their own. */
const afterAll = 'cmp`'

/** Newest first. In a list, only compactions with few sources name them; `getCompaction` always names all of them. */
export async function listCompactions(
  tenant: Tenant,
  query: { readonly memoryRef: string | null; readonly after: string | null; readonly limit: number },
): Promise<CompactionView[]> {
  const after = query.after ?? afterAll
  const found = await tenant.storage.compactions.list({ tenantId: tenant.id, ...query, after })
  return Promise.all(
    found.map(async (compaction) => {
      if (compaction.sourceCount > limits.compactionSourcesShownMax) return toView(compaction)
      return withSources(tenant, compaction)
    }),
  )
}

/** One compaction, or the job of a requested one that is not made yet. */
export async function getCompaction(tenant: Tenant, id: string): Promise<CompactionView> {
  const compaction = await tenant.storage.compactions.get(tenant.id, id)
  if (compaction !== null && !isDistillation(compaction)) return withSources(tenant, compaction)
  const job = await tenant.storage.jobs.get(tenant.id, jobIdOf(id))
  if (job?.kind !== compactionJobKind) throw new ColophonError('not_found', 'There is no such compaction.')
  return toPending(id, job)
}

/** The view of a compaction with the ids of all its sources. */
export async function withSources(tenant: Tenant, compaction: Compaction): Promise<CompactionView> {
  const sources = await tenant.storage.compactions.sources(tenant.id, compaction.compactionId)
  return { ...toView(compaction), sourceIds: sources.map(({ entryId }) => entryId) }
}

function toView(compaction: Compaction): CompactionView {
  const { compactionId, memoryRef, outputId, sourceCount, byteSize, runId, summariser, status, at } = compaction
  const reason = reasonOf(summariser)
  return {
    id: compactionId,
    memoryRef,
    status,
    outputId,
    sourceCount,
    byteSize,
    runId,
    summariser,
    ...(reason === null ? {} : { reason }),
    at: toInstant(at),
    ...(compaction.undoneAt === null ? {} : { undoneAt: toInstant(compaction.undoneAt) }),
  }
}

const statusOfJob: Readonly<Record<Job['status'], CompactionView['status']>> = {
  queued: 'pending',
  leased: 'pending',
  completed: 'empty',
  dead: 'failed',
  cancelled: 'cancelled',
}

function toPending(id: string, { status, payload, error, createdAt }: Job): CompactionView {
  return {
    id,
    memoryRef: (payload as { memoryRef: string }).memoryRef,
    status: statusOfJob[status],
    outputId: null,
    sourceCount: 0,
    sourceIds: [],
    byteSize: 0,
    runId: null,
    summariser: null,
    at: toInstant(createdAt),
    ...(error === null ? {} : { error }),
  }
}
