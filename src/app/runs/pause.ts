import type { Progress } from '../../core/run/progress.ts'

/**
 * A pause that lets the current node finish comes into force between two nodes. True when it now is: the run then stays
 * where it is until somebody resumes it.
 */
export function putPauseInForce(progress: Progress, now: number): boolean {
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

export function pauseNow(progress: Progress, now: number): void {
  const { pause } = progress.facts
  if (pause === null) return
  const reason = progress.text.pauseReason === null ? {} : { reason: progress.text.pauseReason }
  progress.set({ status: 'paused', facts: { pause: { ...pause, at: now } } })
  progress.emit('run.paused', { facts: { drainPolicy: pause.drainPolicy, by: pause.by }, text: reason })
}
