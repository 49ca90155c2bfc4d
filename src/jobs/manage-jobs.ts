import type { WriteOptions } from '../app/commit.ts'
import { redactionJobKind } from '../app/redaction/redaction-pass.ts'
import { runJobKind } from '../app/runs/new-run.ts'
import type { Tenant } from '../app/tenant.ts'
import { ColophonError } from '../core/errors.ts'
import { cancelJob, type JobStatus, type JobView, toJobView } from '../core/jobs/job.ts'
import { enqueue } from './queue.ts'

/** Jobs as clients of the API manage them. */

/** Newest first. */
export async function listJobs(
  tenant: Tenant,
  query: { readonly status: JobStatus | null; readonly after: string | null; readonly limit: number },
): Promise<readonly JobView[]> {
  return (await tenant.storage.jobs.list({ tenantId: tenant.id, ...query })).map(toJobView)
}

/** A job by its id; `job_not_found` when the tenant has none. */
export async function getJob(tenant: Tenant, jobId: string): Promise<JobView> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  if (job === null) throw new ColophonError('job_not_found', 'There is no such job.')
  return toJobView(job)
}

/** Cancels a job. The job of a run is refused: without it no worker would continue the run. */
export async function cancelUnlessRun(tenant: Tenant, jobId: string): Promise<JobView> {
  const job = await tenant.storage.jobs.update(tenant.id, jobId, (current) => {
    if (current.kind === runJobKind)
      throw new ColophonError('job_state', 'This job executes a run: cancel the run instead.')
    return cancelJob(current, tenant.now())
  })
  return toJobView(job)
}

/** Enqueues a pass that redacts everything stored with the current secrets and rules. */
export async function requestRedaction(tenant: Tenant, dryRun: boolean, options: WriteOptions) {
  // The pass rewrites what is stored, so the audit log names who asked for it.
  const actor = options.actor ?? tenant.engine.actor
  return enqueue(tenant, { kind: redactionJobKind, payload: { dryRun, actor } }, options)
}
