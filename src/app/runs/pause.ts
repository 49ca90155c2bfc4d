import type { Progress } from '../../core/run/progress.ts'
import type { NodeState } from '../../core/run/run.ts'

/**
 * A pause that lets the current node finish comes into force between two nodes. True when it now is: the run then stays
 * where it is until somebody resumes it.
 */
export function applyPendingPause(progress: Progress, now: number): boolean {
  const { pause, nodes } = progress.facts
  if (pause === null) return false
  if (pause.at !== null) return true
  const isAtWork = Object.entries(nodes).some(
    ([nodeId, { status }]) =>
      status === 'running' || (status === 'waiting' && progress.text.interrupts[nodeId] === undefined),
  )
  if (isAtWork) return false
  pauseNow(progress, now)
  return true
}

function pauseNow(progress: Progress, now: number): void {
  const { pause } = progress.facts
  if (pause === null) return
  const reason = progress.text.pauseReason === null ? {} : { reason: progress.text.pauseReason }
  progress.set({ status: 'paused', facts: { pause: { ...pause, at: now } } })
  progress.emit('run.paused', { facts: { drainPolicy: pause.drainPolicy, by: pause.by }, text: reason })
}

/** A pause that waits for nothing but answers and children. */
export function pauseImmediately(progress: Progress, now: number): void {
  resetActiveNodes(progress, (_, { childRunId }) => childRunId === undefined)
  pauseNow(progress, now)
}

/** What is under way is dropped; when the run goes on, it starts afresh. Nodes that wait for an answer keep waiting. */
export function resetActiveNodes(progress: Progress, isDropped: (nodeId: string, state: NodeState) => boolean): void {
  const { nodes } = progress.facts
  const isCut = ([nodeId, state]: [string, NodeState]) =>
    (state.status === 'running' || state.status === 'waiting') &&
    progress.text.interrupts[nodeId] === undefined &&
    isDropped(nodeId, state)
  const cut = Object.entries(nodes).filter(isCut)
  const kept = Object.entries(nodes).filter((node) => !isCut(node))
  const tried = cut.map(([nodeId, { attempt, calls }]) => [nodeId, { attempt, calls }] as const)
  progress.set({
    facts: { nodes: Object.fromEntries(kept), tried: { ...progress.facts.tried, ...Object.fromEntries(tried) } },
  })
}
