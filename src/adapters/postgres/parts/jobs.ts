import type { JobMembers, JobPartState } from '../../../core/commit/parts/jobs.ts'
import type { Job } from '../../../core/jobs/job.ts'
import type { Row } from '../../sql/row-codec.ts'
import { jobRows } from '../../sql/rows.ts'
import { statement } from '../connection.ts'
import { saveJobs } from '../jobs.ts'
import type { PostgresPart } from './part.ts'

export type JobsLoaded = { readonly jobs: Map<string, Job> }

export const jobs: PostgresPart<JobsLoaded, Pick<JobPartState, 'job'>> = {
  none: () => ({ jobs: new Map() }),

  async load(send, tenantId, batches) {
    const ids = batches.flatMap(jobIdsOf)
    if (ids.length === 0) return this.none()
    const { rows } = await send<Row>(lockJobs, [tenantId, ids])
    return { jobs: new Map(rows.map(jobRows.fromRow).map((job) => [job.jobId, job])) }
  },

  state: (loaded) => ({ job: (jobId) => loaded.jobs.get(jobId) }),

  after(loaded, sealed) {
    for (const job of sealed.jobs) loaded.jobs.set(job.jobId, job)
  },

  save(send, tenantId, sealed) {
    const last = new Map(sealed.flatMap((batch) => batch.jobs).map((job) => [job.jobId, job]))
    return saveJobs(send, tenantId, [...last.values()])
  },
}

function jobIdsOf({ finish, holds, park, wakes, jobs }: JobMembers): string[] {
  return [
    ...(finish ? [finish.jobId] : []),
    ...(holds ? [holds.jobId] : []),
    ...(park ? [park.jobId] : []),
    ...wakes,
    ...jobs.flatMap(({ jobId, joins }) => (joins ? [jobId] : [])),
  ]
}

const lockJobs = statement(
  'lock_jobs',
  `select ${jobRows.columns}
     from job
    where tenant_id = $1
      and job_id = any($2)
    order by job_id
      for update`,
)
