import type { Engine } from '../app/engine.ts'
import { acquireLease, isSuspectedPoisonPill, type Lease, leaseForDeadLetter, postponeJob } from '../core/jobs/job.ts'
import type { LeaseRequest } from '../ports/job-store.ts'

export type LeaseJobsOptions = Omit<LeaseRequest, 'change'> & {
  readonly newLease: () => Lease
  /** A job that lost too many leases is leased once more, so that the worker can call `onDead` before the dead letter. */
  readonly callsOnDead: boolean
}

/**
 * Leases due jobs of one tenant. Also gives the ids of jobs that are exhausted (leased only to become dead letters), and for
 * each job how long it waited after its due time.
 */
export async function leaseJobs({ storage, workers }: Engine, { newLease, callsOnDead, ...request }: LeaseJobsOptions) {
  const { now } = request
  const exhausted = new Set<string>()
  const waited = new Map<string, number>()
  const suspects = new Set<string>()
  const change: LeaseRequest['change'] = (job) => {
    const lease = newLease()
    waited.set(job.jobId, now - job.dueAt)
    const claimed = acquireLease(job, lease, now)
    if (claimed.status === 'leased' && isSuspectedPoisonPill(claimed)) {
      if (!workers.mayAttemptSuspect(job.jobId)) return postponeJob(job, now)
      suspects.add(job.jobId)
    }
    if (claimed.status !== 'dead' || !callsOnDead) return claimed
    exhausted.add(job.jobId)
    return leaseForDeadLetter(claimed, lease)
  }
  try {
    const claim = await storage.jobs.claim({ ...request, change })
    for (const { jobId, status } of claim?.jobs ?? []) if (status === 'leased') suspects.delete(jobId)
    return claim && { ...claim, exhausted, waited }
  } finally {
    // The store did not lease these: another worker may run them as its suspect.
    for (const jobId of suspects) workers.endSuspectAttempt(jobId)
  }
}
