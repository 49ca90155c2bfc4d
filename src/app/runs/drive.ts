import { type ColophonError, isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { beginNode, beginRun, failNode, skipNode, waitingStatus } from '../../core/run/lifecycle.ts'
import { isEnded, type Run, type RunError } from '../../core/run/run.ts'
import { isFailureHandled, nextStep } from '../../core/workflow/plan.ts'
import { isStale, pauseBeforeRetry, toContention } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { createYielding } from '../yielding.ts'
import { breachOf, childEnded, deadlineOf, wakeTimeOf } from './bounds.ts'
import { openProgress } from './commit-run.ts'
import { executeNode, toRunError } from './execute-node.ts'
import { Leg } from './leg.ts'
import { putPauseInForce } from './pause.ts'
import { loadRecorded, ReplaySourceMissing } from './recorded.ts'
import { repeatRecord } from './replay.ts'
import { loadDefinition } from './workflows.ts'

export type DriveOptions = {
  readonly lease: JobLease
  readonly signal: AbortSignal
  /** The run as it was just created, so that it need not be read again. */
  readonly run?: Run
}

/**
 * Takes a run as far as it goes: until it ends, or waits for time, an answer or a child. Everything it does is stored in
 * steps that are decided on one revision of the run; when another writer changed the run meanwhile (a cancel, an answer,
 * another worker), the step is dropped and decided anew from what is stored. This is no `decideAndCommit`, because a drive commits
 * many steps: only attempts since the last stored step count.
 */
export async function driveRun(tenant: Tenant, runId: string, options: DriveOptions): Promise<void> {
  let known = options.run
  let isCareful = false
  for (let attempt = 1; ; attempt++) {
    const run = known ?? (await tenant.storage.runs.get(tenant.id, runId))
    known = undefined
    if (run === null || isEnded(run.status)) return
    const leg = await openLeg(tenant, run, options.lease, isCareful)
    // Without its source a replay would be a run like any other, and write.
    if (run.facts.fork?.mode === 'replay' && leg.source === null)
      return leg.end({ status: 'failed', error: toRunError(new ReplaySourceMissing()) })
    try {
      if (leg.source) await repeatRecord(leg, leg.source, options.signal)
      return await goOn(leg, options.signal)
    } catch (error) {
      if (options.signal.aborted) throw error
      if (isStale(error)) {
        if (leg.progress.base.revision > run.revision) attempt = 1
        // The job counts a failed attempt and drives the run again later.
        if (attempt >= limits.decideAttemptsMax) throw toContention(error)
        await pauseBeforeRetry(attempt)
        continue
      }
      // Something that a node made cannot be stored. Node by node it shows which one it is, and that one fails.
      if (!isColophonError(error) || !isOfContent(error)) throw error
      if (isCareful) return failRun(tenant, runId, error, options.lease)
      isCareful = true
    }
  }
}

function isOfContent({ kind }: ColophonError): boolean {
  return kind === 'invalid' || kind === 'refused' || kind === 'gone' || kind === 'missing'
}

/** Ends a run that cannot go on, from what is stored of it. */
async function failRun(
  tenant: Tenant,
  runId: string,
  { code, message }: Pick<ColophonError, 'code' | 'message'>,
  lease: JobLease,
): Promise<void> {
  const run = await tenant.storage.runs.get(tenant.id, runId)
  if (run === null || isEnded(run.status)) return
  const leg = await openLeg(tenant, run, lease, true)
  await leg.end({ status: 'failed', error: { code, message } })
}

async function openLeg(tenant: Tenant, run: Run, lease: JobLease, isCareful: boolean): Promise<Leg> {
  const { workflowId, workflowVersion, facts } = run
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  const isReplay = facts.fork?.mode === 'replay'
  const replayed = isReplay ? await tenant.storage.runs.get(tenant.id, facts.fork.sourceRunId) : null
  const source = replayed && (await loadRecorded(tenant, replayed))
  const progress = await openProgress(tenant, run)
  return new Leg({ tenant, definition, lease, source, isCareful, progress })
}

async function goOn(leg: Leg, signal: AbortSignal): Promise<void> {
  const { tenant, definition } = leg
  const yieldWhenLong = createYielding()
  while (!leg.isEnded) {
    await yieldWhenLong()
    const { progress } = leg
    const now = tenant.now()
    const breach = breachOf(progress, now)
    if (breach) {
      progress.emit('cap.breached', { facts: breach.facts })
      await leg.end({ status: 'failed', error: breach.error })
      return
    }
    // Time goes on while a run is paused: its limit is the same.
    if (putPauseInForce(progress, now)) return leg.flush(deadlineOf(progress) + 1)
    if (progress.facts.startedAt === null) beginRun(progress, tenant.id, now)
    const cut = definition.nodes.find(({ id }) => progress.node(id)?.status === 'running')
    const step = nextStep(definition, progress.nodeStatuses, progress.scope)
    // What was under way when the run was cut off comes first, as it would have.
    if (cut) await settleNode(leg, cut.id, await executeNode(leg, cut.id))
    else if (step.kind === 'done') await leg.end({ status: 'completed' })
    else if (step.kind === 'skip') skipNode(progress, step.nodeId, step.reason, now)
    else if (step.kind === 'start') await startNode(leg, step.nodeId)
    else if (!(await resumeWaiting(leg))) return park(leg)
    await leg.settle(signal)
  }
}

async function startNode(leg: Leg, nodeId: string): Promise<void> {
  const node = leg.definition.nodes.find(({ id }) => id === nodeId)
  const { progress, tenant } = leg
  const { nodeExecutionsMax } = progress.facts.bounds
  if (progress.facts.nodeExecutions >= nodeExecutionsMax) {
    const observed = progress.facts.nodeExecutions + 1
    progress.emit('cap.breached', {
      nodeId,
      facts: { kind: 'node-executions', limit: nodeExecutionsMax, observed, nodeId },
    })
    const message = `The run may execute ${nodeExecutionsMax} nodes.`
    return leg.end({ status: 'failed', error: { code: 'recursion_limit_exceeded', message } })
  }
  if (leg.isCareful && progress.isChanged) await leg.flush()
  beginNode(leg.progress, nodeId, node?.typeId ?? '', tenant.now())
  if (leg.isCareful) await leg.flush()
  await settleNode(leg, nodeId, await executeNode(leg, nodeId))
}

/** A failed node ends the run unless another node is there for that. */
async function settleNode(leg: Leg, nodeId: string, error: RunError | null): Promise<void> {
  if (error === null) return
  failNode(leg.progress, nodeId, error, leg.tenant.now())
  if (isFailureHandled(leg.definition, nodeId)) return
  await leg.end({ status: 'failed', error, failedNodeId: nodeId })
}

/** Goes on with the first node that has what it waited for. False when none has. */
async function resumeWaiting(leg: Leg): Promise<boolean> {
  const now = leg.tenant.now()
  for (const { id } of leg.definition.nodes) {
    const state = leg.progress.node(id)
    if (state?.status !== 'waiting') continue
    // Nobody waits in a replay: what the node waited for is on record, or it never came.
    const isReady = leg.source !== null || wakeTimeOf(leg, id) <= now || (await childEnded(leg, state.childRunId))
    if (!isReady) continue
    await settleNode(leg, id, await executeNode(leg, id))
    return true
  }
  return false
}

async function park(leg: Leg): Promise<void> {
  const { progress, tenant } = leg
  progress.set({ status: waitingStatus(progress) })
  const times = leg.definition.nodes.map(({ id }) => wakeTimeOf(leg, id))
  // One millisecond later, because a limit is breached only beyond it.
  const until = Math.min(...times, deadlineOf(progress) + 1)
  await leg.flush(until)
  tenant.engine.workers.wakeAt(until)
}
