import { sha256 } from '../../core/audit/digest.ts'
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

type CancelDraft = {
  readonly runIds: readonly string[]
  readonly reason?: string | undefined
  /** The ids of the request, if some of them are no runs of the tenant: they belong to the call too. */
  readonly given?: readonly string[]
}

/**
 * Cancels each run in a commit of its own: one that is refused does not affect the others. With an idempotency key each run has a key
 * made from it, so that a repeated call has the outcome of the first for each run, and completes a call that was interrupted.
 */
export async function cancelRuns(
  tenant: Tenant,
  { runIds, reason, given = runIds }: CancelDraft,
  { refusesEnded = false, ...options }: CancelOptions = {},
): Promise<{ readonly results: readonly CancelResult[]; readonly repeated: boolean }> {
  const { actor, idempotencyKey, isFinal } = options
  const repeated = await noteCall(tenant, { runIds: given, reason: reason ?? null }, options)
  const cancelOne = async (runId: string): Promise<CancelResult> => {
    try {
      const key = idempotencyKey === undefined ? {} : { idempotencyKey: keyOfRun(idempotencyKey, runId) }
      const by = { ...(actor === undefined ? {} : { actor }), ...(isFinal === undefined ? {} : { isFinal }) }
      const { run } = await cancelRun(tenant, runId, reason, { refusesEnded, ...key, ...by })
      return { runId, result: run }
    } catch (error) {
      if (!isColophonError(error)) throw error
      return { runId, result: error }
    }
  }
  return { results: await Promise.all(runIds.map(cancelOne)), repeated }
}

/** A digest, because key and id together can be longer than a key may be. */
function keyOfRun(key: string, runId: string): string {
  return `run.bulk-cancel:${sha256(`${key}.${runId}`)}`
}

/** Stores the idempotency key of the whole call. */
async function noteCall(tenant: Tenant, call: object, options: WriteOptions): Promise<boolean> {
  if (options.idempotencyKey === undefined) return false
  const change = { kind: 'memory.written' } as const
  return (await tenant.commit(change, { ...options, call: { operation: 'run.bulk-cancel', ...call } })).repeated
}
