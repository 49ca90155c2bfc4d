import { toInstant } from '../../core/check.ts'
import { type Compaction, isDistillation } from '../../core/compaction/compaction.ts'
import { ColophonError } from '../../core/errors.ts'
import type { Job } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { Tenant } from '../tenant.ts'
import { distillationJobId, distillationJobKind, distillationPrefix } from './request-distillation.ts'

/** A distillation as clients see it. A requested one is `pending` until it is made; `empty` means that the ref had no entries. */
export type DistillationView = {
  readonly id: string
  readonly memoryRef: string
  readonly status: 'pending' | 'completed' | 'undone' | 'empty' | 'failed' | 'cancelled'
  /** The entry with the distilled text. */
  readonly archiveId: string | null
  readonly archiveChecksum: string | null
  readonly sourceCount: number
  readonly sourceIds?: readonly string[]
  readonly tokenBudget: number
  readonly tokensUsed: number | null
  readonly byteSize: number
  readonly runId: string | null
  readonly summariser: string | null
  readonly at: string
  readonly undoneAt?: string
  readonly error?: { readonly code: string; readonly message: string }
}

/** After the ids of all distillations: the character that follows the underscore. */
const afterAll = distillationPrefix.replace('_', '`')

/** Newest first. In a list, only distillations with few sources name them. */
export async function listDistillations(
  tenant: Tenant,
  query: { readonly memoryRef: string | null; readonly after: string | null; readonly limit: number },
): Promise<DistillationView[]> {
  const after = query.after ?? afterAll
  const found = await tenant.storage.compactions.list({ tenantId: tenant.id, ...query, after })
  // Ids of distillations sort after those of compactions, so these follow all of them.
  return Promise.all(
    found
      .filter(isDistillation)
      .map((made) =>
        made.sourceCount > limits.compactionSourcesShownMax ? toDistillationView(made) : withSources(tenant, made),
      ),
  )
}

/** One distillation, or the job of a requested one. If the ref had such an archive already, it is the one that made it. */
export async function getDistillation(tenant: Tenant, id: string): Promise<DistillationView> {
  const made = await findDistillation(tenant, id)
  if (made !== null) return withSources(tenant, made)
  const job = id.startsWith(distillationPrefix) ? await tenant.storage.jobs.get(tenant.id, distillationJobId(id)) : null
  if (job?.kind !== distillationJobKind) throw noSuchDistillation()
  const { distillationId } = (job.result ?? {}) as { distillationId?: string | null }
  const earlier = typeof distillationId === 'string' ? await findDistillation(tenant, distillationId) : null
  return earlier === null ? toPending(id, job) : withSources(tenant, earlier)
}

/** The distillation with this id; null when there is none. */
export async function findDistillation(tenant: Tenant, id: string): Promise<Compaction | null> {
  const made = await tenant.storage.compactions.get(tenant.id, id)
  return made !== null && isDistillation(made) ? made : null
}

export function noSuchDistillation(): ColophonError {
  return new ColophonError('not_found', 'There is no such distillation.')
}

async function withSources(tenant: Tenant, made: Compaction): Promise<DistillationView> {
  const sources = await tenant.storage.compactions.sources(tenant.id, made.compactionId)
  return { ...toDistillationView(made), sourceIds: sources.map(({ entryId }) => entryId) }
}

function toDistillationView(made: Compaction): DistillationView {
  const { compactionId, memoryRef, status, outputId, checksum, sourceCount, byteSize, runId, summariser } = made
  return {
    id: compactionId,
    memoryRef,
    status,
    archiveId: outputId,
    archiveChecksum: checksum,
    sourceCount,
    tokenBudget: made.tokenBudget ?? 0,
    tokensUsed: made.tokensUsed,
    byteSize,
    runId,
    summariser,
    at: toInstant(made.at),
    ...(made.undoneAt === null ? {} : { undoneAt: toInstant(made.undoneAt) }),
  }
}

const statusOfJob: Readonly<Record<Job['status'], DistillationView['status']>> = {
  queued: 'pending',
  leased: 'pending',
  completed: 'empty',
  dead: 'failed',
  cancelled: 'cancelled',
}

function toPending(id: string, { status, payload, error, createdAt }: Job): DistillationView {
  const { memoryRef, tokenBudget } = payload as { memoryRef: string; tokenBudget: number }
  return {
    id,
    memoryRef,
    status: statusOfJob[status],
    archiveId: null,
    archiveChecksum: null,
    sourceCount: 0,
    sourceIds: [],
    tokenBudget,
    tokensUsed: null,
    byteSize: 0,
    runId: null,
    summariser: null,
    at: toInstant(createdAt),
    ...(error === null ? {} : { error }),
  }
}
