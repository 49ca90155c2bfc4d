import type { z } from 'zod'
import type { ExplainedResult } from '../../../app/provenance/explain-result.ts'
import type { IngestJob as StoredJob } from '../../../app/provenance/ingest-jobs.ts'
import { toInstant } from '../../../core/check.ts'
import type { IngestJob } from '../schemas/add.ts'
import { toSnake } from '../snake-case.ts'

const nothing = { memoriesCreated: 0, memoriesSuperseded: 0, memoriesRejected: 0 }

export function toIngestJobView(job: StoredJob): z.output<typeof IngestJob> {
  const status = statusOf(job)
  const ended = job.endedAt === null ? undefined : toInstant(job.endedAt)
  return {
    job_id: job.jobId,
    status,
    attempts: job.attempts,
    ...toResultView(job.result ?? nothing),
    ...(job.memoryRef === null ? {} : { memory_ref: job.memoryRef }),
    ...(job.error === null ? {} : { error: job.error }),
    queued_at: toInstant(job.createdAt),
    ...(job.startedAt === null ? {} : { started_at: toInstant(job.startedAt) }),
    ...(status === 'completed' && ended ? { completed_at: ended } : {}),
    ...(status === 'dead' && ended ? { dead_lettered_at: ended } : {}),
  }
}

/** A queued job with an error is `failed`: it will be retried. */
function statusOf({ status, error }: StoredJob): z.output<typeof IngestJob>['status'] {
  if (status === 'leased') return 'processing'
  if (status === 'completed') return 'completed'
  if (status === 'dead' || status === 'cancelled') return 'dead'
  return error === null ? 'queued' : 'failed'
}

/** The result of an ingest job, also for all jobs. */
export function toResultView({
  decided,
  ...result
}: Omit<ExplainedResult, 'extractor'> & { readonly extractor?: string }) {
  return { ...toSnake(result), ...(decided === undefined ? {} : { decided: decided.map(toSnake) }) }
}
