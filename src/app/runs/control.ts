import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { endRun, runWaitingStatus } from '../../core/run/lifecycle.ts'
import { type DrainPolicy, isEnded, type Run } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { RunLogStatus } from '../../ports/run-store.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { type FinalWriteOptions, withFinalRefusals } from '../final-refusals.ts'
import type { Tenant } from '../tenant.ts'
import { commitRun, openProgress } from './commit-run.ts'
import { cancelChildren, prepareEnd } from './end-run.ts'
import { pauseImmediately } from './pause.ts'
import { loadRecordedRun } from './recorded-run.ts'

/** Changes of a run by clients: cancel, pause, resume. Each is decided on the stored run, and again if the run changed meanwhile. */

export type ChangedRun = { readonly run: Run; readonly repeated: boolean }

/** A run by its id; `not_found` when the tenant has none. */
export async function getRun(tenant: Tenant, runId: string): Promise<Run> {
  const run = isPossibleId(runId) ? await tenant.storage.runs.get(tenant.id, runId) : null
  if (run === null || !isOfReader(tenant, run)) throw noSuchRun()
  return run
}

/** A reader sees the runs that read for it, and no others: their values may hold what it cannot see. */
export function isOfReader({ reader }: Tenant, { facts }: Pick<Run, 'facts'>): boolean {
  return reader === null || facts.reader === reader
}

function noSuchRun(): ColophonError {
  return new ColophonError('not_found', 'There is no such run.')
}

/** PostgreSQL refuses texts with a zero byte in a query. No run has such an id. */
function isPossibleId(runId: string): boolean {
  return runId.length <= limits.runIdCharactersMax && !runId.includes('\u0000')
}

/** Status and next sequence of a run, for clients that wait for its events. */
export async function getRunStatus(tenant: Tenant, runId: string): Promise<RunLogStatus> {
  if (tenant.reader !== null) await getRun(tenant, runId)
  const standing = isPossibleId(runId) ? await tenant.storage.runs.logStatus(tenant.id, runId) : null
  if (standing === null) throw noSuchRun()
  return standing
}

/** Null: there is nothing to change. A refusal is thrown, unless an earlier call with the same idempotency key succeeded. */
type Decision = { readonly wakes: readonly string[] } | { readonly refusal: ColophonError } | null

/** Applies one change to a run, with optimistic locking and idempotency. */
export async function changeRun(
  tenant: Tenant,
  runId: string,
  call: { readonly operation: string } & Record<string, unknown>,
  options: FinalWriteOptions,
  change: (progress: RunProgress) => Promise<Decision>,
): Promise<ChangedRun> {
  const write = { ...options, call: { ...call, runId } }
  // The secret was registered after the text was redacted: the next attempt redacts it.
  const mayRetry = (error: unknown, attempt: number) => attempt === 1 && isColophonError(error, 'secret_leakage')
  const decide = async () => {
    const progress = await openProgress(tenant, await getRun(tenant, runId))
    const decision = await change(progress)
    if (decision === null || 'refusal' in decision) {
      if (await tenant.findOutcome(write)) return { run: await getRun(tenant, runId), repeated: true }
      if (decision !== null) throw decision.refusal
      return { run: progress.base, repeated: false }
    }
    const { runs, repeated } = await commitRun(tenant, progress, { wakes: decision.wakes, write })
    return { run: runs.find((stored) => stored.runId === runId) ?? (await getRun(tenant, runId)), repeated }
  }
  return withFinalRefusals(tenant, write, () => decideAndCommit(decide, { mayRetry }))
}

/** With `refusesEnded`, a run that has ended is refused with `run_state`; without it, it is returned as it is. */
export type CancelOptions = FinalWriteOptions & { readonly refusesEnded?: boolean }

/** Cancels a run and its child runs in one commit. A run that has ended does not change. */
export function cancelRun(
  tenant: Tenant,
  runId: string,
  reason: string | undefined,
  { refusesEnded = false, ...options }: CancelOptions = {},
): Promise<ChangedRun> {
  return changeRun(tenant, runId, { operation: 'run.cancel', reason }, options, async (progress) => {
    if (isEnded(progress.status)) return refusesEnded ? { refusal: runState(progress.base, 'cancelled') } : null
    const by = options.actor ?? tenant.engine.actor
    const wakes = await cancelChildren(tenant, progress, reason)
    await prepareEnd(tenant, progress, 'cancelled', await sourceOf(tenant, progress.base))
    endRun(progress, { status: 'cancelled', reason, by }, tenant.now())
    return { wakes: [progress.facts.jobId, ...wakes] }
  })
}

/** Fails a run whose job became a dead letter: no worker would continue it. */
export async function failRunOfDeadLetter(tenant: Tenant, runId: string): Promise<void> {
  const call = { operation: 'run.give-up' }
  await changeRun(tenant, runId, call, {}, async (progress) => {
    if (isEnded(progress.status)) return null
    const error = { code: 'engine_gave_up', message: 'The run cannot continue: its job failed too often.' }
    const wakes = await cancelChildren(tenant, progress, undefined)
    await prepareEnd(tenant, progress, 'failed', await sourceOf(tenant, progress.base))
    endRun(progress, { status: 'failed', error }, tenant.now())
    return { wakes }
  })
}

async function sourceOf(tenant: Tenant, run: Run) {
  if (run.facts.fork?.mode !== 'replay') return null
  const source = await tenant.storage.runs.get(tenant.id, run.facts.fork.sourceRunId)
  return source && loadRecordedRun(tenant, source)
}

/** Requests a pause: immediately, or when the current node has finished. */
export function pauseRun(
  tenant: Tenant,
  runId: string,
  request: { readonly reason?: string | undefined; readonly drainPolicy?: DrainPolicy | undefined },
  options: FinalWriteOptions = {},
): Promise<ChangedRun> {
  const { reason = null, drainPolicy = 'drain-current-node' } = request
  const call = { operation: 'run.pause', reason, drainPolicy }
  return changeRun(tenant, runId, call, options, async (progress) => {
    const { status, facts } = progress
    const by = options.actor ?? tenant.engine.actor
    if (isEnded(status) || facts.pause !== null) return { refusal: runState(progress.base, 'paused') }
    // The log of a replay is that of its source, without pauses of its own.
    if (facts.fork?.mode === 'replay') return { refusal: runState(progress.base, 'paused', 'A replay') }
    const now = tenant.now()
    progress.set({ facts: { pause: { drainPolicy, at: null, by } }, text: { pauseReason: reason } })
    if (drainPolicy === 'immediate') pauseImmediately(progress, now)
    return { wakes: [facts.jobId] }
  })
}

/** Resumes a paused run, or withdraws a pause that has not taken effect yet. */
export function resumeRun(
  tenant: Tenant,
  runId: string,
  { reason }: { readonly reason?: string | undefined },
  options: FinalWriteOptions = {},
): Promise<ChangedRun> {
  return changeRun(tenant, runId, { operation: 'run.resume', reason: reason ?? null }, options, async (progress) => {
    const { pause } = progress.facts
    if (pause === null) return { refusal: runState(progress.base, 'resumed') }
    const isInForce = pause.at !== null
    progress.set({ facts: { pause: null }, text: { pauseReason: null } })
    progress.set({ status: progress.facts.startedAt === null ? 'pending' : runWaitingStatus(progress) })
    const by = options.actor ?? tenant.engine.actor
    if (isInForce)
      progress.emit('run.resumed', { facts: { by }, ...(reason === undefined ? {} : { text: { reason } }) })
    return { wakes: [progress.facts.jobId] }
  })
}

function runState(run: Run, verb: string, what = `A run that is ${run.status}`): ColophonError {
  const pausedAt = run.facts.pause?.at
  return new ColophonError('run_state', `${what} cannot be ${verb}.`, {
    details: {
      runStatus: run.status,
      ...(pausedAt === null || pausedAt === undefined ? {} : { pausedAt: new Date(pausedAt).toISOString() }),
    },
  })
}
