import type { NodeState } from '../../core/run/run.ts'
import type { RunProgress } from '../../core/run/run-progress.ts'

/**
 * Applies a requested pause with the policy `drain-current-node` once no node is running. True when the run is paused: it
 * does not continue until a client resumes it.
 */
export function applyPendingPause(progress: RunProgress, now: number): boolean {
  const { pause, nodes } = progress.facts
  if (pause === null) return false
  if (pause.at !== null) return true
  const isBusy = Object.entries(nodes).some(
    ([nodeId, { status }]) =>
      status === 'running' || (status === 'waiting' && progress.text.interrupts[nodeId] === undefined),
  )
  if (isBusy) return false
  pauseNow(progress, now)
  return true
}

function pauseNow(progress: RunProgress, now: number): void {
  const { pause } = progress.facts
  if (pause === null) return
  const reason = progress.text.pauseReason === null ? {} : { reason: progress.text.pauseReason }
  progress.set({ status: 'paused', facts: { pause: { ...pause, at: now } } })
  progress.emit('run.paused', { facts: { drainPolicy: pause.drainPolicy, by: pause.by }, text: reason })
}

/** The policy `immediate`: running nodes are reset. Nodes that wait for answers or children keep waiting. */
export function pauseImmediately(progress: RunProgress, now: number): void {
  resetActiveNodes(progress, (_, { childRunId }) => childRunId === undefined)
  pauseNow(progress, now)
}

/** Resets running and sleeping nodes, so that they start again with the next attempt. Nodes that wait for an answer keep waiting. */
export function resetActiveNodes(progress: RunProgress, isReset: (nodeId: string, state: NodeState) => boolean): void {
  const { nodes } = progress.facts
  const isActive = ([nodeId, state]: [string, NodeState]) =>
    (state.status === 'running' || state.status === 'waiting') &&
    progress.text.interrupts[nodeId] === undefined &&
    isReset(nodeId, state)
  const reset = Object.entries(nodes).filter(isActive)
  const kept = Object.entries(nodes).filter((node) => !isActive(node))
  const tried = reset.map(([nodeId, { attempt, calls, emitted }]) => {
    return [nodeId, { attempt, calls, ...(emitted === undefined ? {} : { emitted }) }] as const
  })
  progress.set({
    facts: { nodes: Object.fromEntries(kept), tried: { ...progress.facts.tried, ...Object.fromEntries(tried) } },
  })
}
