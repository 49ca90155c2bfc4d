import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { hasMixedTrust } from '../../core/provenance/content-trust.ts'
import { inactivePriority, priorityFor } from '../../core/provenance/writer.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { allClaims, claimsOfService, slotOfClaim } from './claims.ts'
import { planClaims, toChange } from './plan-claims.ts'
import { getWriter } from './writers.ts'

export const reresolveJobKind = 'colophon.reresolve'

/** Stores a job that decides every claim of a writer again. */
export async function startReresolve(
  tenant: Tenant,
  writerId: string,
  options: WriteOptions,
): Promise<{ readonly jobId: string; readonly repeated: boolean }> {
  // Checked before the job is stored, so that an unknown writer is refused by this call.
  await getWriter(tenant, writerId)
  const job = {
    kind: reresolveJobKind,
    payload: { writerId },
    priority: 0,
    attemptsMax: limits.jobAttemptsDefault,
    dueAt: null,
  }
  const call = { operation: 'writer.reresolve', writerId }
  return commitJob(tenant, { ...job, jobId: tenant.system.newId('job') }, { ...options, call })
}

/** The job that decides every claim again whose contents have different classes, after the floor of winners was changed. */
export function reresolveAllJob(tenant: Tenant): NewJob {
  const attempts = { priority: 0, attemptsMax: limits.jobAttemptsDefault, dueAt: null }
  return { jobId: tenant.system.newId('job'), kind: reresolveJobKind, payload: {}, ...attempts }
}

/** Decides every claim again by the tenant's floor. The job can be interrupted and repeated. */
export async function reresolveAll(tenant: Tenant, pass: ReresolvePass): Promise<ReresolveResult> {
  let decided = 0
  let changed = 0
  for await (const { claim, assertions } of allClaims(tenant)) {
    pass.signal.throwIfAborted()
    if (!hasMixedTrust(assertions)) continue
    decided += 1
    pass.onProgress({ decided })
    changed += await decideAndCommit(async () => {
      const plans = await planClaims(tenant, [{ slot: slotOfClaim(claim), change: {} }])
      if (plans.every(({ step }) => step.claim.winner === claim.winner)) return 0
      const call = { operation: 'claim.reresolve' }
      await tenant.commit({ kind: 'claim.reresolved', ...toChange(plans) }, { call })
      return 1
    })
  }
  return { decided, changed }
}

type ReresolvePass = { readonly signal: AbortSignal; readonly onProgress: (progress: { decided: number }) => void }
type ReresolveResult = { readonly decided: number; readonly changed: number }

/** Decides every claim of a writer again with its current rules. The job can be interrupted and repeated. */
export async function reresolve(tenant: Tenant, writerId: string, pass: ReresolvePass): Promise<ReresolveResult> {
  const writer = await getWriter(tenant, writerId)
  const service = writer.serviceKey
  let decided = 0
  let changed = 0
  for await (const { claim, assertions } of claimsOfService(tenant, service)) {
    pass.signal.throwIfAborted()
    const priority = writer.isActive ? priorityFor(writer.authorityRules, claim.category) : inactivePriority
    decided += 1
    pass.onProgress({ decided })
    if (assertions.every((item) => item.service !== service || item.priority === priority)) continue
    changed += await decideAndCommit(async () => {
      const slot = slotOfClaim(claim)
      const plans = await planClaims(tenant, [{ slot, change: { repriced: { service, priority } } }])
      const call = { operation: 'claim.reresolve' }
      await tenant.commit({ kind: 'claim.reresolved', ...toChange(plans) }, { call })
      return plans.some(({ step }) => step.claim.winner !== claim.winner) ? 1 : 0
    })
  }
  return { decided, changed }
}
