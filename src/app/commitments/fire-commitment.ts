import type { Revision } from '../../core/commit/batch.ts'
import { type Commitment, toEntryText } from '../../core/commitments/commitment.ts'
import { statementTerms } from '../../core/commitments/statement.ts'
import type { Origin } from '../../core/entries/entry.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { maintenanceWorkflowId, type RunStep, runKeyOf } from '../../core/run/run.ts'
import type { Change } from '../commit.ts'
import { decideAndCommit } from '../decide-and-commit.ts'
import { toNewRunStep } from '../runs/new-run.ts'
import type { Tenant } from '../tenant.ts'
import { deliveryJobsOf } from '../webhooks/delivery-jobs.ts'
import { findAssertion } from './find-assertion.ts'
import { type FoundCommitment, findCommitment, isContained } from './find-commitments.ts'
import { endPolling, pollDelayMs } from './poll-delay.ts'
import { commitmentsActor as actor, planStartedRun } from './started-run.ts'
import { wakeIfMissed, watchRef } from './watched-refs.ts'

export type FireResult = {
  readonly fired: boolean
  /** Why nothing was fired. */
  readonly reason?: string
  readonly runId?: string
  readonly enqueuedRunId?: string
}

/**
 * One attempt of the job of a commitment. If its condition is met, the mark that it fired, the event in a maintenance run, the run that it starts
 * and the completion of the job are one commit: after a crash either all of it happened, or the job is due again. Of two workers, the second
 * finds the commitment changed.
 */
export async function fireCommitment(
  tenant: Tenant,
  commitmentId: string,
  lease: JobLease,
): Promise<FireResult | null> {
  const result = await attempt(tenant, commitmentId, lease)
  if (result !== null) endPolling(tenant, lease.jobId)
  return result
}

function attempt(tenant: Tenant, commitmentId: string, lease: JobLease): Promise<FireResult | null> {
  return decideAndCommit(async () => {
    const found = await findCommitment(tenant, commitmentId)
    if (found === null) {
      // The job waits for a release, which makes no new one.
      if (await isContained(tenant, commitmentId)) return park(tenant, lease, pollAt(tenant, lease))
      return { fired: false, reason: 'gone' }
    }
    const { commitment, state } = found
    if (commitment.status !== 'waiting' || commitment.jobId !== lease.jobId) return { fired: false, reason: 'settled' }
    if ((await tenant.storage.tenant(tenant.id))?.status === 'disabled')
      return park(tenant, lease, pollAt(tenant, lease))
    const { condition } = commitment
    if (state.reason === 'source_contained') return park(tenant, lease, pollAt(tenant, lease))
    if (state.status === 'ended') return end(tenant, found, state.reason ?? 'ended', lease)
    if (condition.kind === 'time' && condition.dueAt > tenant.now()) return park(tenant, lease, condition.dueAt)
    if (state.status !== 'waiting') {
      // A quarantined or imported commitment misses its instant; its statement may still come true after it was released.
      if (condition.kind === 'time') return end(tenant, found, state.reason ?? state.status, lease)
      return park(tenant, lease, pollAt(tenant, lease))
    }
    if (condition.kind === 'predicate') {
      watchRef(tenant, commitment.memoryRef, lease.jobId, statementTerms(condition.statement) ?? new Set())
      if (!(await findAssertion(tenant, found))) return park(tenant, lease, pollAt(tenant, lease))
    }
    return fire(tenant, found, lease)
  })
}

function pollAt(tenant: Tenant, { jobId }: JobLease): number {
  return tenant.now() + pollDelayMs(tenant, jobId)
}

/** Puts the job aside. */
async function park(tenant: Tenant, lease: JobLease, dueAt: number): Promise<null> {
  const { jobId, leaseToken } = lease
  const change: Change = { kind: 'commitment.parked', park: { jobId, leaseToken, dueAt, waitsFor: [] } }
  await tenant.commit(change, { call: { operation: 'commitments.park' } })
  lease.spent = true
  tenant.engine.workers.wakeAt(dueAt)
  wakeIfMissed(tenant, jobId)
  return null
}

/** The next version of a commitment. */
export function toRevision(
  tenant: Tenant,
  { version, commitment }: FoundCommitment,
  change: Partial<Commitment>,
  origin: Origin = version.origin,
): Revision {
  const { memoryRef, entryId } = version
  const text = toEntryText({ ...commitment, ...change })
  return { memoryRef, entryId, ...text, origin, salt: tenant.system.newSalt(), revives: false }
}

export function expectationOf({ version }: FoundCommitment) {
  return { memoryRef: version.memoryRef, entryId: version.entryId, version: version.version }
}

async function end(tenant: Tenant, found: FoundCommitment, reason: string, lease: JobLease): Promise<FireResult> {
  const result = { fired: false, reason }
  const revisions = [toRevision(tenant, found, { status: 'ended', reason })]
  const change: Change = { kind: 'commitment.ended', revisions, expects: [expectationOf(found)] }
  await tenant.commit(change, { actor, completes: lease, result, call: { operation: 'commitments.end' } })
  return result
}

async function fire(tenant: Tenant, found: FoundCommitment, lease: JobLease): Promise<FireResult> {
  const { source } = found
  const runId = tenant.system.newId('run')
  const started = await planStartedRun(tenant, found)
  const enqueued = started === null ? {} : { enqueuedRunId: started.step.run.runId }
  const recorded = maintenanceRunOf(tenant, found, { runId, jobId: lease.jobId, ...enqueued })
  const revision = toRevision(tenant, found, {
    status: 'fired',
    firedAt: tenant.now(),
    runId,
    startedRunId: enqueued.enqueuedRunId ?? null,
  })
  const result = { fired: true, runId, ...enqueued }
  const change: Change = {
    kind: 'commitment.fired',
    revisions: [revision],
    // If the entry changes meanwhile, it is decided again whether the commitment still stands.
    expects: [expectationOf(found), ...(source?.endedPosition === null ? [sourceExpectation(source)] : [])],
    runs: [recorded, ...(started === null ? [] : [started.step])],
    jobs: [...(await deliveryJobsOf(tenant, [recorded])), ...(started === null ? [] : [started.job])],
  }
  const { runs } = await tenant.commit(change, {
    actor,
    completes: lease,
    result,
    call: { operation: 'commitments.fire' },
  })
  for (const run of runs) tenant.engine.runWatch.notify(runKeyOf(tenant.id, run.runId), run.nextSequence)
  tenant.engine.workers.wake()
  return result
}

function sourceExpectation({ memoryRef, entryId, version }: NonNullable<FoundCommitment['source']>) {
  return { memoryRef, entryId, version }
}

/** The run whose log has the event. It names the entry as read, so that a forget of the entry finds it. */
function maintenanceRunOf(
  tenant: Tenant,
  { commitment, source }: FoundCommitment,
  { runId, jobId, enqueuedRunId }: { readonly runId: string; readonly jobId: string; readonly enqueuedRunId?: string },
): RunStep {
  const { commitmentId, memoryRef, memoryId, condition } = commitment
  const read = source === undefined ? [] : [{ id: source.entryId, version: source.version }]
  const step = toNewRunStep({
    runId,
    workflowId: maintenanceWorkflowId,
    workflowVersion: 0,
    facts: {
      actor,
      jobId,
      bounds: { nodeExecutionsMax: 0, durationMs: limits.runDurationMsMax },
      startedAt: tenant.now(),
      memoryCalls: 1,
      ...(source === undefined || source.readers === null ? {} : { readers: source.readers }),
    },
    text: { inputs: {}, variables: {}, configurable: {} },
  })
  const fired = {
    commitmentId,
    memoryRef,
    condition: condition.kind,
    ...(memoryId === null ? {} : { memoryId }),
    ...(enqueuedRunId === undefined ? {} : { enqueuedRunId }),
  }
  const event = (type: string, facts: Readonly<Record<string, unknown>>) => ({ type, nodeId: null, facts })
  return {
    ...step,
    run: { ...step.run, status: 'completed' },
    events: [
      event('run.started', { workflowId: maintenanceWorkflowId, owner: { tenant: tenant.id, principal: actor } }),
      event('commitment.fired', fired),
      event('run.completed', { outputs: {} }),
    ],
    calls: [
      { ordinal: 0, sequence: 1, nodeId: '', op: 'get', memoryRef, entries: read, position: 0, at: tenant.now() },
    ],
  }
}
