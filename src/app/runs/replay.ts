import type { RunError } from '../../core/run/run.ts'
import type { Leg } from './leg.ts'
import { ReplaySourceMissing } from './run-memory.ts'

/** What a replay takes from its source instead of doing it: time that passed, answers that were given, children that ran. */

/** Whether the replayed run got past this node: then nobody waits again. */
export function wasOver(leg: Leg, nodeId: string): boolean {
  const status = leg.source?.run.facts.nodes[nodeId]?.status
  return status === 'completed' || status === 'failed'
}

const answerEvents = ['interrupt.resolved', 'approval.received', 'node.resumed']

/** The answer that was given, with the events that told of it. Nobody is asked twice. */
export function repeatAnswer(leg: Leg, nodeId: string): void {
  const { progress, source } = leg
  const answered = source?.run.text.interrupts[nodeId]
  const asked = progress.text.interrupts[nodeId]
  if (!answered || !asked) throw new ReplaySourceMissing()
  const timedOut = answered.resolution === null && wasOver(leg, nodeId)
  if (answered.resolution === null && !timedOut) throw new ReplaySourceMissing()
  const resolved = timedOut ? { ...asked, deadline: 0 } : { ...asked, resolution: answered.resolution }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: resolved } } })
  for (const event of source?.events ?? []) {
    if (event.nodeId === nodeId && answerEvents.includes(event.type)) leg.repeatEvent(event.sequence)
  }
}

/** The same for a question that was asked before the replay began. Gives the failure of the node when there is no answer. */
export function answerFromSource(leg: Leg, nodeId: string): RunError | null {
  try {
    repeatAnswer(leg, nodeId)
    return null
  } catch (error) {
    if (error instanceof ReplaySourceMissing) return { code: 'replay_source_missing', message: error.message }
    throw error
  }
}

/** The child that the replayed run started; it is looked at, not started again. */
export function repeatedChild(leg: Leg, nodeId: string): string {
  const childRunId = leg.source?.run.facts.nodes[nodeId]?.childRunId
  if (childRunId === undefined || !wasOver(leg, nodeId)) throw new ReplaySourceMissing()
  return childRunId
}

/** How the node failed in the run that is replayed, if it did: what was refused then left no other record. */
export function recordedFailure(leg: Leg, nodeId: string): RunError | null {
  const failed = leg.source?.events.find((event) => event.type === 'node.failed' && event.nodeId === nodeId)
  return (failed?.payload.error as RunError | undefined) ?? null
}

/** When the node ended in the run that is replayed; nodes that waited side by side end in that order again. */
export function recordedEnd(leg: Leg, nodeId: string): number {
  const ends = ['node.completed', 'node.failed']
  const ended = leg.source?.events.find((event) => event.nodeId === nodeId && ends.includes(event.type))
  return ended?.sequence ?? Number.MAX_SAFE_INTEGER
}
