import type { NewJob } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { hasMixedTrust } from '../../core/provenance/content-trust.ts'
import { withPriority } from '../../core/provenance/plan-claim.ts'
import { repricingsOf } from '../../core/provenance/writer.ts'
import { commitJob, type WriteOptions } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { allClaims, claimsOfServices, slotOfClaim } from './claims.ts'
import { planClaims, toChange } from './plan-claims.ts'
import { getWriter, listWriters } from './writers.ts'

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

/** The job that decides every claim of these writers again. */
export function reresolveJob(tenant: Tenant, writerIds: readonly string[]): NewJob {
  return { ...reresolveAllJob(tenant), payload: { writerIds } }
}

/** Decides every claim of writers again with their current rules, each claim in one step. The job can be interrupted and repeated. */
export async function reresolve(
  tenant: Tenant,
  writerIds: readonly string[],
  pass: ReresolvePass,
): Promise<ReresolveResult> {
  const writers = (await listWriters(tenant)).filter(({ writerId }) => writerIds.includes(writerId))
  let decided = 0
  let changed = 0
  for await (const { claim, assertions } of claimsOfServices(tenant, writers)) {
    pass.signal.throwIfAborted()
    decided += 1
    pass.onProgress({ decided })
    const repriced = repricingsOf(writers, claim.category)
    if (assertions.every((item) => withPriority(item, repriced).priority === item.priority)) continue
    const named = repriced.filter(({ service }) => assertions.some((item) => item.service === service))
    changed += await decideAndCommit(async () => {
      const slot = slotOfClaim(claim)
      const plans = await planClaims(tenant, [{ slot, change: { repriced: named } }])
      const call = { operation: 'claim.reresolve' }
      await tenant.commit({ kind: 'claim.reresolved', ...toChange(plans) }, { call })
      return plans.some(({ step }) => step.claim.winner !== claim.winner) ? 1 : 0
    })
  }
  return { decided, changed }
}
