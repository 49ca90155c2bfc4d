import { ColophonError, isColophonError } from '../../core/errors.ts'
import type { Run } from '../../core/run/run.ts'
import type { WriteOptions } from '../commit.ts'
import type { Tenant } from '../tenant.ts'
import { type CancelOptions, type ChangedRun, cancelRun } from './control.ts'

/** Cancels an active run. A run that completed or failed is refused with `run_state`. */
export async function cancelActiveRun(
  tenant: Tenant,
  runId: string,
  reason: string | undefined,
  options: WriteOptions = {},
): Promise<ChangedRun> {
  const cancelled = await cancelRun(tenant, runId, reason, options)
  const { status } = cancelled.run
  if (status === 'cancelled') return cancelled
  throw new ColophonError('run_state', `A run that is ${status} cannot be cancelled.`, {
    details: { runStatus: status },
  })
}

/** The cancelled run, or the error for this run. */
export type CancelResult = { readonly runId: string; readonly result: Run | ColophonError }

/** Cancels each run in a commit of its own: one that is refused does not affect the others. */
export async function cancelRuns(
  tenant: Tenant,
  { runIds, reason }: { readonly runIds: readonly string[]; readonly reason?: string | undefined },
  { refusesEnded = false, ...options }: CancelOptions = {},
): Promise<{ readonly results: readonly CancelResult[]; readonly repeated: boolean }> {
  const { actor } = options
  const repeated = await noteCall(tenant, { runIds, reason: reason ?? null }, options)
  const cancelOne = async (runId: string): Promise<CancelResult> => {
    try {
      // A repeated call finds the runs that the first one cancelled.
      const refuses = { refusesEnded: refusesEnded && !repeated }
      const { run } = await cancelRun(tenant, runId, reason, { ...refuses, ...(actor === undefined ? {} : { actor }) })
      return { runId, result: run }
    } catch (error) {
      if (!isColophonError(error)) throw error
      return { runId, result: error }
    }
  }
  return { results: await Promise.all(runIds.map(cancelOne)), repeated }
}

/** Stores the idempotency key of the whole call. Each cancel is idempotent anyway. */
async function noteCall(tenant: Tenant, call: object, options: WriteOptions): Promise<boolean> {
  if (options.idempotencyKey === undefined) return false
  const change = { kind: 'memory.written' } as const
  return (await tenant.commit(change, { ...options, call: { operation: 'run.bulk-cancel', ...call } })).repeated
}
