import { isEnded } from '../../core/run/run.ts'
import type { Leg } from './leg.ts'

const never = Number.MAX_SAFE_INTEGER

/** When a waiting node can go on for reasons of time; 0 when it has its answer. */
export function wakeTimeOf(leg: Leg, nodeId: string): number {
  const { progress } = leg
  const state = progress.node(nodeId)
  if (state?.status !== 'waiting') return never
  const interrupt = progress.text.interrupts[nodeId]
  if (interrupt) return interrupt.resolution ? 0 : (interrupt.deadline ?? never)
  return state.wakeAt ?? never
}

export async function childEnded(leg: Leg, childRunId: string | undefined): Promise<boolean> {
  // A child that begins with the next commit is not there yet, and so has not ended.
  if (childRunId === undefined || leg.progress.others.some(({ run }) => run.runId === childRunId)) return false
  const child = await leg.tenant.storage.runs.get(leg.tenant.id, childRunId)
  return child === null || isEnded(child.status)
}
