import { type ColophonError, isColophonError } from '../../core/errors.ts'
import type { JobLease } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { beginNode, beginRun, failNode, runWaitingStatus, skipNode } from '../../core/run/lifecycle.ts'
import { startBreach } from '../../core/run/orchestration.ts'
import { isEnded, type Run, type RunError } from '../../core/run/run.ts'
import { isFailureHandled, nextAction } from '../../core/workflow/next-action.ts'
import { isStale, pauseBeforeRetry, toContention } from '../decide-and-commit.ts'
import { createTimeSlice } from '../event-loop.ts'
import { freshContext } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { openProgress } from './commit-run.ts'
import { executeNode } from './execute-node.ts'
import { toRunError } from './node-failure.ts'
import { applyPendingPause } from './pause.ts'
import { loadRecordedRun, ReplaySourceMissing } from './recorded-run.ts'
import { replayRun } from './replay-run.ts'
import { RunExecution } from './run-execution.ts'
import { breachOf, deadlineOf, hasChildEnded, wakeTimeOf } from './timers.ts'
import { loadDefinition } from './workflow-registry.ts'

export type ExecuteRunOptions = {
  readonly lease: JobLease
  readonly signal: AbortSignal
  /** The run as it was just created, which saves a read. */
  readonly run?: Run
}

/**
 * Executes a run until it ends or waits for a timer, an interrupt or a child. Everything is committed in steps, and each
 * step expects one revision of the run. If another writer changed the run (a cancel, an answer, another worker), the step is
 * dropped and decided again on the stored run. `decideAndCommit` does not fit, because an execution commits many steps: only
 * attempts since the last committed step count.
 */
export async function executeRun(tenant: Tenant, runId: string, options: ExecuteRunOptions): Promise<void> {
  let created = options.run
  let commitsEachNode = false
  for (let attempt = 1; ; attempt++) {
    const run = created ?? (await tenant.storage.runs.get(tenant.id, runId))
    created = undefined
    if (run === null || isEnded(run.status)) return
    const execution = await openExecution(tenant, run, options, commitsEachNode)
    // Without its source a replay would execute its nodes as a new run does, and write.
    if (run.facts.fork?.mode === 'replay' && execution.source === null)
      return execution.end({ status: 'failed', error: toRunError(new ReplaySourceMissing()) })
    try {
      if (execution.source) await replayRun(execution, execution.source)
      return await continueRun(execution)
    } catch (error) {
      if (options.signal.aborted) throw error
      if (isStale(error)) {
        if (execution.progress.base.revision > run.revision) attempt = 1
        // The job counts a failed attempt and is retried.
        if (attempt >= limits.decideAttemptsMax) throw toContention(error)
        await pauseBeforeRetry(attempt)
        continue
      }
      // The store refuses something that a node produced. Committing node by node shows which node, and that one fails.
      if (!isColophonError(error) || !isContentError(error)) throw error
      if (commitsEachNode) return failRun(tenant, runId, error, options)
      commitsEachNode = true
    }
  }
}

function isContentError({ kind }: ColophonError): boolean {
  return kind === 'invalid' || kind === 'refused' || kind === 'gone' || kind === 'missing'
}

/** Fails a run that cannot continue, from its stored state. */
async function failRun(
  tenant: Tenant,
  runId: string,
  { code, message }: Pick<ColophonError, 'code' | 'message'>,
  options: ExecuteRunOptions,
): Promise<void> {
  const run = await tenant.storage.runs.get(tenant.id, runId)
  if (run === null || isEnded(run.status)) return
  const execution = await openExecution(tenant, run, options, true)
  await execution.end({ status: 'failed', error: { code, message } })
}

async function openExecution(
  tenant: Tenant,
  run: Run,
  { lease, signal }: ExecuteRunOptions,
  commitsEachNode: boolean,
): Promise<RunExecution> {
  const { workflowId, workflowVersion, facts } = run
  // Another server may have erased a name in the workflow: a run must not write to the ref of a forgotten person.
  await freshContext(tenant)
  const definition = await loadDefinition(tenant, workflowId, workflowVersion)
  const isReplay = facts.fork?.mode === 'replay'
  const replayed = isReplay ? await tenant.storage.runs.get(tenant.id, facts.fork.sourceRunId) : null
  const source = replayed && (await loadRecordedRun(tenant, replayed))
  const progress = await openProgress(tenant, run)
  return new RunExecution({ tenant, definition, lease, source, signal, commitsEachNode, progress })
}

async function continueRun(execution: RunExecution): Promise<void> {
  const { tenant, definition } = execution
  const yieldWhenLong = createTimeSlice()
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
    // A pause does not extend the run's time limit.
    if (applyPendingPause(progress, now)) return execution.commitStep(deadlineOf(progress) + 1)
    if (progress.facts.startedAt === null) beginRun(progress, tenant.id, now)
    const interrupted = definition.nodes.find(({ id }) => progress.node(id)?.status === 'running')
    const step = nextAction(definition, progress.nodeStatuses, progress.values)
    // A node that was running when the last execution was interrupted comes first.
    if (interrupted) await finishNode(execution, interrupted.id, await executeNode(execution, interrupted.id))
    else if (step.kind === 'done') await execution.end({ status: 'completed' })
    else if (step.kind === 'skip') skipNode(progress, step.nodeId, step.reason, now)
    else if (step.kind === 'start') await startNode(execution, step.nodeId)
    else if (!(await resumeWaiting(execution))) return park(execution)
    await execution.commitIfDue()
  }
}

async function startNode(execution: RunExecution, nodeId: string): Promise<void> {
  const node = execution.definition.nodes.find(({ id }) => id === nodeId)
  const { progress, tenant } = execution
  const breach = node && startBreach(progress, execution.definition, node)
  if (breach) {
    progress.emit('cap.breached', { nodeId, facts: breach.facts })
    return execution.end({ status: 'failed', error: breach.error })
  }
  if (execution.commitsEachNode && progress.isChanged) await execution.commitStep()
  beginNode(execution.progress, nodeId, node?.typeId ?? '', tenant.now())
  if (execution.commitsEachNode) await execution.commitStep()
  await finishNode(execution, nodeId, await executeNode(execution, nodeId))
}

/** A failed node ends the run, unless an edge handles the failure. */
async function finishNode(execution: RunExecution, nodeId: string, error: RunError | null): Promise<void> {
  if (error === null) return
  failNode(execution.progress, nodeId, error, execution.tenant.now())
  if (isFailureHandled(execution.definition, nodeId)) return
  await execution.end({ status: 'failed', error, failedNodeId: nodeId })
}

/** Resumes the first waiting node whose timer, answer or child is there. False when there is none. */
async function resumeWaiting(execution: RunExecution): Promise<boolean> {
  const now = execution.tenant.now()
  for (const { id } of execution.definition.nodes) {
    const state = execution.progress.node(id)
    if (state?.status !== 'waiting') continue
    // A replay does not wait: the answer or the child is on record, or it never existed.
    const isReady =
      execution.source !== null ||
      wakeTimeOf(execution, id) <= now ||
      (await hasChildEnded(execution, state.childRunId))
    if (!isReady) continue
    await finishNode(execution, id, await executeNode(execution, id))
    return true
  }
  return false
}

async function park(execution: RunExecution): Promise<void> {
  const { progress, tenant } = execution
  progress.set({ status: runWaitingStatus(progress) })
  const times = execution.definition.nodes.map(({ id }) => wakeTimeOf(execution, id))
  // One millisecond later, because the limit itself is still allowed.
  const until = Math.min(...times, deadlineOf(progress) + 1)
  await execution.commitStep(until)
  tenant.engine.workers.wakeAt(until)
}
