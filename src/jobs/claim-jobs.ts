import type { Engine } from '../app/engine.ts'
import { claimJob, holdToEnd, isSuspect, type Lease, postponeJob } from '../core/jobs/job.ts'
import type { ClaimRequest } from '../ports/job-store.ts'

export type ClaimWish = Omit<ClaimRequest, 'change'> & {
  readonly newLease: () => Lease
  /** What a job stands for is ended before the job is. */
  readonly isEndedFirst: boolean
}

/** Takes due jobs of one tenant: with those that are to be given up, and how long after it was due each was taken. */
export async function claimJobs({ storage, workers }: Engine, { newLease, isEndedFirst, ...request }: ClaimWish) {
  const { now } = request
  const hopeless = new Set<string>()
  const waited = new Map<string, number>()
  const suspects = new Set<string>()
  const change: ClaimRequest['change'] = (job) => {
    const lease = newLease()
    waited.set(job.jobId, now - job.dueAt)
    const claimed = claimJob(job, lease, now)
    if (claimed.status === 'leased' && isSuspect(claimed)) {
      if (!workers.mayTry(job.jobId)) return postponeJob(job, now)
      suspects.add(job.jobId)
    }
    if (claimed.status !== 'dead' || !isEndedFirst) return claimed
    hopeless.add(job.jobId)
    return holdToEnd(claimed, lease)
  }
  try {
    const claim = await storage.jobs.claim({ ...request, change })
    for (const { jobId, status } of claim?.jobs ?? []) if (status === 'leased') suspects.delete(jobId)
    return claim && { ...claim, hopeless, waited }
  } finally {
    // What was not got after all is not being tried.
    for (const jobId of suspects) workers.tried(jobId)
  }
}
