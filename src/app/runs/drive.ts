import { type ColophonError, isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { beginNode, beginRun, failNode, skipNode, waitingStatus } from '../../core/run/lifecycle.ts'
import { isEnded, type Run, type RunError } from '../../core/run/run.ts'
import { isFailureHandled, nextStep } from '../../core/workflow/plan.ts'
import { isStale, pauseBeforeRetry, toContention } from '../decide-and-commit.ts'
import type { Tenant } from '../tenant.ts'
import { createYielding } from '../yielding.ts'
import { breachOf, deadlineOf, hasChildEnded, wakeTimeOf } from './bounds.ts'
import { openProgress } from './commit-run.ts'
import { executeNode, toRunError } from './execute-node.ts'
import { RunExecution } from './leg.ts'
import { applyPendingPause } from './pause.ts'
import { loadRecordedRun, ReplaySourceMissing } from './recorded.ts'
import { replayRun } from './replay.ts'
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
  let commitsEachNode = false
  for (let attempt = 1; ; attempt++) {
    const run = known ?? (await tenant.storage.runs.get(tenant.id, runId))
    known = undefined
    if (run === null || isEnded(run.status)) return
    const execution = await openExecution(tenant, run, options.lease, commitsEachNode)
    // Without its source a replay would be a run like any other, and write.
    if (run.facts.fork?.mode === 'replay' && execution.source === null)
      return execution.end({ status: 'failed', error: toRunError(new ReplaySourceMissing()) })
    try {
      if (execution.source) await replayRun(execution, execution.source, options.signal)
      return await continueRun(execution, options.signal)
    } catch (error) {
      if (options.signal.aborted) throw error
      if (isStale(error)) {
        if (execution.progress.base.revision > run.revision) attempt = 1
        // The job counts a failed attempt and drives the run again later.
        if (attempt >= limits.decideAttemptsMax) throw toContention(error)
        await pauseBeforeRetry(attempt)
        continue
      }
      // Something that a node made cannot be stored. Node by node it shows which one it is, and that one fails.
      if (!isColophonError(error) || !isContentError(error)) throw error
      if (commitsEachNode) return failRun(tenant, runId, error, options.lease)
      commitsEachNode = true
    }
  }
}

function isContentError({ kind }: ColophonError): boolean {
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
  const execution = await openExecution(tenant, run, lease, true)
  await execution.end({ status: 'failed', error: { code, message } })
}

async function openExecution(tenant: Tenant, run: Run, lease: JobLease, commitsEachNode: boolean): Promise<RunExecution> {
  const { workflowId, workflowVersion, facts } = run
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  const isReplay = facts.fork?.mode === 'replay'
  const replayed = isReplay ? await tenant.storage.runs.get(tenant.id, facts.fork.sourceRunId) : null
  const source = replayed && (await loadRecordedRun(tenant, replayed))
  const progress = await openProgress(tenant, run)
  return new RunExecution({ tenant, definition, lease, source, commitsEachNode, progress })
}

async function continueRun(execution: RunExecution, signal: AbortSignal): Promise<void> {
  const { tenant, definition } = execution
  const yieldWhenLong = createYielding()
  while (!execution.isEnded) {
    await yieldWhenLong()
    const { progress } = execution
    const now = tenant.now()
    const breach = breachOf(progress, now)
    if (breach) {
      progress.emit('cap.breached', { facts: breach.facts })
      await execution.end({ status: 'failed', error: breach.error })
      return
    }
    // Time goes on while a run is paused: its limit is the same.
    if (applyPendingPause(progress, now)) return execution.commitStep(deadlineOf(progress) + 1)
    if (progress.facts.startedAt === null) beginRun(progress, tenant.id, now)
    const cut = definition.nodes.find(({ id }) => progress.node(id)?.status === 'running')
    const step = nextStep(definition, progress.nodeStatuses, progress.scope)
    // What was under way when the run was cut off comes first, as it would have.
    if (cut) await finishNode(execution, cut.id, await executeNode(execution, cut.id))
    else if (step.kind === 'done') await execution.end({ status: 'completed' })
    else if (step.kind === 'skip') skipNode(progress, step.nodeId, step.reason, now)
    else if (step.kind === 'start') await startNode(execution, step.nodeId)
    else if (!(await resumeWaiting(execution))) return park(execution)
    await execution.commitIfDue(signal)
  }
}

async function startNode(execution: RunExecution, nodeId: string): Promise<void> {
  const node = execution.definition.nodes.find(({ id }) => id === nodeId)
  const { progress, tenant } = execution
  const { nodeExecutionsMax } = progress.facts.bounds
  if (progress.facts.nodeExecutions >= nodeExecutionsMax) {
    const observed = progress.facts.nodeExecutions + 1
    progress.emit('cap.breached', {
      nodeId,
      facts: { kind: 'node-executions', limit: nodeExecutionsMax, observed, nodeId },
    })
    const message = `The run may execute ${nodeExecutionsMax} nodes.`
    return execution.end({ status: 'failed', error: { code: 'recursion_limit_exceeded', message } })
  }
  if (execution.commitsEachNode && progress.isChanged) await execution.commitStep()
  beginNode(execution.progress, nodeId, node?.typeId ?? '', tenant.now())
  if (execution.commitsEachNode) await execution.commitStep()
  await finishNode(execution, nodeId, await executeNode(execution, nodeId))
}

/** A failed node ends the run unless another node is there for that. */
async function finishNode(execution: RunExecution, nodeId: string, error: RunError | null): Promise<void> {
  if (error === null) return
  failNode(execution.progress, nodeId, error, execution.tenant.now())
  if (isFailureHandled(execution.definition, nodeId)) return
  await execution.end({ status: 'failed', error, failedNodeId: nodeId })
}

/** Goes on with the first node that has what it waited for. False when none has. */
async function resumeWaiting(execution: RunExecution): Promise<boolean> {
  const now = execution.tenant.now()
  for (const { id } of execution.definition.nodes) {
    const state = execution.progress.node(id)
    if (state?.status !== 'waiting') continue
    // Nobody waits in a replay: what the node waited for is on record, or it never came.
    const isReady = execution.source !== null || wakeTimeOf(execution, id) <= now || (await hasChildEnded(execution, state.childRunId))
    if (!isReady) continue
    await finishNode(execution, id, await executeNode(execution, id))
    return true
  }
  return false
}

async function park(execution: RunExecution): Promise<void> {
  const { progress, tenant } = execution
  progress.set({ status: waitingStatus(progress) })
  const times = execution.definition.nodes.map(({ id }) => wakeTimeOf(execution, id))
  // One millisecond later, because a limit is breached only beyond it.
  const until = Math.min(...times, deadlineOf(progress) + 1)
  await execution.commitStep(until)
  tenant.engine.workers.wakeAt(until)
}
