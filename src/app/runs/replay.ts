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
  if (!answered || !asked) throw new ReplaySourceMissing(nodeId)
  const timedOut = answered.resolution === null && wasOver(leg, nodeId)
  if (answered.resolution === null && !timedOut) throw new ReplaySourceMissing(nodeId)
  const resolved = timedOut ? { ...asked, deadline: 0 } : { ...asked, resolution: answered.resolution }
  progress.set({ text: { interrupts: { ...progress.text.interrupts, [nodeId]: resolved } } })
  for (const event of source?.events ?? []) {
    if (event.nodeId === nodeId && answerEvents.includes(event.type)) leg.repeatEvent(event.sequence)
  }
}

/** The child that the replayed run started; it is looked at, not started again. */
export function repeatedChild(leg: Leg, nodeId: string): string {
  const childRunId = leg.source?.run.facts.nodes[nodeId]?.childRunId
  if (childRunId === undefined || !wasOver(leg, nodeId)) throw new ReplaySourceMissing(nodeId)
  return childRunId
}
