import type { JobPartState } from '../../../core/commit/parts/jobs.ts'
import type { ModelPart } from './part.ts'

export const jobs: ModelPart<Pick<JobPartState, 'job'>> = {
  state: (tenant) => ({ job: (jobId) => tenant.jobs.get(jobId) }),

  save(tenant, rows) {
    for (const job of rows.jobs) tenant.jobs.set(job.jobId, job)
  },
}
