import type { JobPartState } from '../../../core/commit/parts/jobs.ts'
import type { PreparePart } from './part.ts'

export const jobs: PreparePart<Pick<JobPartState, 'job'>> = (_db, tables) => ({
  state: (tenantId) => ({ job: (jobId) => tables.jobs.load(tenantId, jobId) ?? undefined }),

  save(tenantId, rows) {
    for (const job of rows.jobs) tables.jobs.save(tenantId, job)
  },
})
