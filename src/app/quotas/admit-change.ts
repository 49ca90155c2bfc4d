import { type ColophonError, isColophonError } from '../../core/errors.ts'
import { frees, growthOf, isRefusable } from '../../core/quotas/growth.ts'
import type { Change, CommitOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import type { Admission } from './tenant-quotas.ts'

const nothing: Admission = { settle(_position) {} }

/**
 * Admits a change by the quotas of the tenant. No promise if memory is enough to decide: calls of one caller are committed in the order in which
 * they were made.
 */
export function admitChange(tenant: Tenant, change: Change, options: CommitOptions): Admission | Promise<Admission> {
  const { quotas } = tenant.engine
  const growth = growthOf(change)
  // Noted after the commit: a count before it would still see the rows.
  const freeing = frees(change) ? { settle: () => quotas.noteFreed(tenant.id) } : nothing
  if (growth === null) return quotas.afterWaiting(tenant.id, () => freeing)
  const canRefuse = options.completes === undefined && isRefusable(change)
  const admitted = quotas.admit(tenant.id, growth, canRefuse)
  // Noted after the commit: a count before it would not see the rows.
  const noting = (admission: Admission): Admission => {
    if (change.imported === undefined && freeing === nothing) return admission
    return {
      settle(position) {
        if (change.imported !== undefined) quotas.noteRewrite(tenant.id)
        freeing.settle(position)
        admission.settle(position)
      },
    }
  }
  if (!(admitted instanceof Promise)) return noting(admitted)
  return admitted.then(noting, async (error: unknown) => {
    // A retry of a call that was stored gets its result: it adds nothing.
    if (isQuotaRefusal(error) && (await tenant.findOutcome(options)) !== null) return nothing
    throw error
  })
}

function isQuotaRefusal(error: unknown): error is ColophonError {
  return isColophonError(error, 'quota_exceeded') || isColophonError(error, 'storage_quota_exceeded')
}
