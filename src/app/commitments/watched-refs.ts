import { mayAssert } from '../../core/commitments/statement.ts'
import { wakeJob } from '../../core/jobs/job.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { type ComparedText, termsOfVersion } from './compared-texts.ts'
import { fireJobKind } from './fire-job.ts'

/** Jobs of this process that wait until something is written to a ref. A hint only: a job that is not woken looks again after a while. */
type Watched = {
  /** By tenant and ref: the jobs, and the words that each waits for. */
  readonly jobs: Map<string, Map<string, ReadonlySet<string>>>
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

/** From now on, a write of a text with all these words to the ref wakes the job. Called before the job reads the ref. */
export function watchRef(tenant: Tenant, memoryRef: string, jobId: string, terms: ReadonlySet<string>): void {
  const { jobs, missed } = watchedOf(tenant)
  missed.delete(jobId)
  const key = keyOf(tenant, memoryRef)
  if (jobs.size >= refsMax) jobs.clear()
  jobs.set(key, (jobs.get(key) ?? new Map()).set(jobId, terms))
}

/** A version was written: wakes the jobs that its text may concern. The others keep waiting. */
export function wakeWatchers(tenant: Tenant, version: ComparedText): void {
  const watched = byStorage.get(tenant.storage)
  const key = keyOf(tenant, version.memoryRef)
  const waiting = watched?.jobs.get(key)
  if (watched === undefined || waiting === undefined) return
  const ofText = termsOfVersion(tenant, version)
  for (const [jobId, terms] of waiting) {
    if (!mayAssert(ofText, terms)) continue
    waiting.delete(jobId)
    if (waiting.size === 0) watched.jobs.delete(key)
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
