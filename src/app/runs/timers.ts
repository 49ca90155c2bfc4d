import { isEnded, type RunError } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'
import type { RunExecution } from './run-execution.ts'

const noDeadline = 4_000_000_000_000_000

/** The instant after which the run fails with `run_timeout`. A replay has none: a timeout of its source is on record. */
export function deadlineOf({ facts }: RunProgress): number {
  const { startedAt, bounds, fork } = facts
  if (startedAt === null || fork?.mode === 'replay') return noDeadline
  return startedAt + bounds.durationMs
}

type Breach = { readonly facts: Readonly<Record<string, unknown>>; readonly error: RunError }

export function breachOf(progress: RunProgress, now: number): Breach | null {
  if (now <= deadlineOf(progress)) return null
  const limit = progress.facts.bounds.durationMs
  const observed = now - (progress.facts.startedAt ?? now)
  const error = { code: 'run_timeout', message: `The run may take ${limit} ms.` }
  return { facts: { kind: 'run-duration', limit, observed }, error }
}

const noWakeTime = Number.MAX_SAFE_INTEGER

/** When the timer of a waiting node fires: its delay or the timeout of its interrupt; 0 when the answer is there. */
export function wakeTimeOf(execution: RunExecution, nodeId: string): number {
  const { progress } = execution
  const state = progress.node(nodeId)
  if (state?.status !== 'waiting') return noWakeTime
  // The end of a child wakes the run, also after an answer.
  if (state.childRunId !== undefined) return noWakeTime
  const interrupt = progress.text.interrupts[nodeId]
  if (interrupt) return interrupt.resolution ? 0 : (interrupt.deadline ?? noWakeTime)
  return state.wakeAt ?? noWakeTime
}

export async function hasChildEnded(execution: RunExecution, childRunId: string | undefined): Promise<boolean> {
  // A child that is stored with the next commit cannot be read yet, and has not ended.
  if (childRunId === undefined || execution.progress.otherSteps.some(({ run }) => run.runId === childRunId))
    return false
  const child = await execution.tenant.storage.runs.get(execution.tenant.id, childRunId)
  return child === null || isEnded(child.status)
}
