import type { WriteOptions } from '../app/commit.ts'
import { runJobKind } from '../app/runs/new-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { ColophonError } from '../core/errors.ts'
import { cancelJob, type JobStatus, type JobView, toJobView } from '../core/jobs/job.ts'
import { enqueue } from './queue.ts'

/** Jobs as people manage them. */

/** Newest first. */
export async function listJobs(
  tenant: Tenant,
  query: { readonly status: JobStatus | null; readonly after: string | null; readonly limit: number },
): Promise<readonly JobView[]> {
  return (await tenant.storage.jobs.list({ tenantId: tenant.id, ...query })).map(toJobView)
}

export async function getJob(tenant: Tenant, jobId: string): Promise<JobView> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  if (job === null) throw new ColophonError('job_not_found', 'There is no such job.')
  return toJobView(job)
}

/** A job that drives a run ends with its run: cancelled alone, it would leave the run without a driver. */
export async function cancelUnlessRun(tenant: Tenant, jobId: string): Promise<JobView> {
  const job = await tenant.storage.jobs.update(tenant.id, jobId, (current) => {
    if (current.kind === runJobKind)
      throw new ColophonError('job_state', 'This job drives a run: cancel the run instead.')
    return cancelJob(current, tenant.now())
  })
  return toJobView(job)
}

/** Starts a pass over everything stored, with the secrets and rules of today. */
export async function requestRedaction(tenant: Tenant, dryRun: boolean, options: WriteOptions) {
  return enqueue(tenant, { kind: 'colophon.re-redact', payload: { dryRun } }, options)
}
