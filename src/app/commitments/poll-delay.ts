import { limits } from '../../core/limits.ts'
import type { Engine } from '../engine.ts'
import type { Tenant } from '../tenant.ts'

/** By tenant: the jobs that this process has put aside until they look again. */
const polling = new WeakMap<Engine['storage'], Map<string, Set<string>>>()

/** How long a job waits until it looks again: longer where many wait, so that a tenant has a bounded number of looks per minute. */
export function pollDelayMs({ storage, id }: Tenant, jobId: string): number {
  const tenants = polling.get(storage) ?? new Map<string, Set<string>>()
  polling.set(storage, tenants)
  const jobs = tenants.get(id) ?? new Set<string>()
  // Jobs that other processes ended are still in it.
  if (jobs.size > limits.commitmentsPerTenantMax) jobs.clear()
  tenants.set(id, jobs.add(jobId))
  return Math.max(limits.commitmentPollMs, jobs.size * limits.commitmentPollGapMs)
}

/** The job does not look again. */
export function endPolling({ storage, id }: Tenant, jobId: string): void {
  const tenants = polling.get(storage)
  const jobs = tenants?.get(id)
  jobs?.delete(jobId)
  if (jobs?.size === 0) tenants?.delete(id)
}
