import { wakeJob } from '../../core/jobs/job.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { fireJobKind } from './fire-job.ts'

/** Jobs of this process that wait until something is written to a ref. A hint only: a job that is not woken looks again after a while. */
type Watched = {
  /** By tenant and ref. */
  readonly jobs: Map<string, Set<string>>
  /** Jobs whose ref was written to while they were running. */
  readonly missed: Set<string>
}

const byStorage = new WeakMap<Engine['storage'], Watched>()
const refsMax = 10_000

function watchedOf({ storage }: Tenant): Watched {
  const known = byStorage.get(storage) ?? { jobs: new Map(), missed: new Set() }
  byStorage.set(storage, known)
  return known
}

function keyOf({ id }: Tenant, memoryRef: string): string {
  return `${id}\u0000${memoryRef}`
}

/** From now on, a write to the ref wakes the job. Called before the job reads the ref. */
export function watchRef(tenant: Tenant, memoryRef: string, jobId: string): void {
  const { jobs, missed } = watchedOf(tenant)
  missed.delete(jobId)
  const key = keyOf(tenant, memoryRef)
  if (jobs.size >= refsMax) jobs.clear()
  jobs.set(key, (jobs.get(key) ?? new Set()).add(jobId))
}

/** The ref was written to. */
export function wakeWatchers(tenant: Tenant, memoryRef: string): void {
  const watched = byStorage.get(tenant.storage)
  const waiting = watched?.jobs.get(keyOf(tenant, memoryRef))
  if (watched === undefined || waiting === undefined) return
  watched.jobs.delete(keyOf(tenant, memoryRef))
  for (const jobId of waiting) {
    watched.missed.add(jobId)
    wake(tenant, jobId)
  }
}

/** Called after the job was put aside: what was written while it ran wakes it now. */
export function wakeIfMissed(tenant: Tenant, jobId: string): void {
  if (watchedOf(tenant).missed.delete(jobId)) wake(tenant, jobId)
}

function wake(tenant: Tenant, jobId: string): void {
  tenant.storage.jobs
    .update(tenant.id, jobId, (job) => (job.status === 'queued' ? wakeJob(job, tenant.now()) : job))
    .then(() => tenant.engine.workers.wake(fireJobKind))
    // The job has ended, or the database is closed.
    .catch(() => {})
}
