import { ColophonError } from '../../core/errors.ts'
import { type Job, retryJob } from '../../core/jobs/job.ts'
import type { Tenant } from '../tenant.ts'
import { ingestJobKind } from './add.ts'
import { type ExplainedResult, explainResult } from './explain-result.ts'
import { refOf } from './find-memories.ts'
import type { IngestResult } from './ingest.ts'
import { mayReadEvent } from './readable-claims.ts'

/** The job that ingests a source event. */
export type IngestJob = Omit<Job, 'result'> & {
  readonly result: ExplainedResult | null
  /** The ref that its memories are stored in; null after the event was forgotten. */
  readonly memoryRef: string | null
}

/** Reads an ingest job; an unknown id, or one of another kind, is refused with `job_not_found`. */
export async function getIngestJob(tenant: Tenant, jobId: string): Promise<IngestJob> {
  return toIngestJob(tenant, await findJob(tenant, jobId))
}

/** Moves a job from the dead letters back to the queue, with all its attempts. */
export async function retryIngestJob(tenant: Tenant, id: string): Promise<IngestJob> {
  const { jobId } = await findJob(tenant, id)
  const job = await tenant.storage.jobs.update(tenant.id, jobId, (current) => retryJob(current, tenant.now()))
  tenant.engine.workers.wake(ingestJobKind)
  return toIngestJob(tenant, job)
}

async function findJob(tenant: Tenant, jobId: string): Promise<Job> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  if (job?.kind !== ingestJobKind) throw noSuchJob()
  if (tenant.reader !== null) {
    const { sourceEventId } = job.payload as { sourceEventId: string }
    const event = await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
    if (event === null || !(await mayReadEvent(tenant, event))) throw noSuchJob()
  }
  return job
}

function noSuchJob(): ColophonError {
  return new ColophonError('job_not_found', 'There is no such job.')
}

async function toIngestJob(tenant: Tenant, job: Job): Promise<IngestJob> {
  const { sourceEventId } = job.payload as { sourceEventId: string }
  const event = await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId)
  const result = job.result as IngestResult | null
  return { ...job, result: result && (await explainResult(tenant, result)), memoryRef: event && refOf(event.subject) }
}
