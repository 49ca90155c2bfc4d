import { ColophonError } from '../../core/errors.ts'
import { type DryRun, describeEmbedding, toDryRun } from '../../core/jobs/dry-run.ts'
import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import type { VectorMethod } from '../../ports/vector-store.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'

/** The job that makes new vectors for all texts. */
export const rebuildJobKind = 'colophon.embeddings-rebuild'

export type EmbeddingIndexStatus = {
  readonly configured: boolean
  readonly working: boolean
  readonly model: string | null
  readonly dimensions: number | null
  /** The error code of the last failure. */
  readonly failure: string | null
  /** Versions of the tenant's entries; those of them without a vector; and vectors of the current model. */
  readonly versions: number
  readonly waiting: number
  readonly vectors: number
  /** Vectors of other models. They are not used, and are deleted once all texts have new ones. */
  readonly otherVectors: number
  /** How the nearest vectors of a large ref are found. */
  readonly method: VectorMethod
}

/** Whether the embedder works, and how many versions of the tenant have vectors. */
export async function embeddingsStatus(tenant: Tenant): Promise<EmbeddingIndexStatus> {
  const { vectors } = tenant.storage
  const counts = await vectors.counts(tenant.id)
  const total = counts.reduce((sum, each) => sum + each.vectors, 0)
  const state = (await tenant.host.embeddings?.state()) ?? null
  const { model = null, dimensions = null, isWorking = false, failure = null } = state ?? {}
  const space = model === null || dimensions === null ? null : { model, dimensions }
  const reached = space === null ? 0 : await vectors.reached(tenant.id, space)
  const own = counts.find((each) => each.model === model && each.dimensions === dimensions)?.vectors ?? 0
  const { versions, waiting } = await vectors.versions(tenant.id, reached)
  return {
    configured: state !== null,
    working: isWorking,
    model,
    dimensions,
    failure,
    versions,
    waiting: state === null ? 0 : waiting,
    vectors: own,
    otherVectors: total - own,
    method: vectors.method(),
  }
}

/** How many texts a pass would embed now. The embedder is not called. */
export async function dryRunEmbedding(tenant: Tenant): Promise<DryRun<{ readonly waiting: number }>> {
  const { waiting } = await embeddingsStatus(tenant)
  return toDryRun({ waiting }, describeEmbedding)
}

/** Enqueues a job that makes new vectors for all texts. */
export async function requestRebuild(
  tenant: Tenant,
  options: WriteOptions = {},
): Promise<{ readonly jobId: string; readonly repeated: boolean }> {
  if (tenant.host.embeddings === null) throw new ColophonError('embeddings_off', 'This server has no embedder.')
  const job: NewJob = {
    jobId: tenant.system.newId('job'),
    kind: rebuildJobKind,
    payload: { askedAt: tenant.now() },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.jobAttemptsDefault,
  }
  const call = { operation: 'embeddings.rebuild' }
  return commitJob(tenant, job, { ...options, call })
}
