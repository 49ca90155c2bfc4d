import type { InterruptRequest } from '../run/interrupt.ts'

/** A decision of an agent that is not sure enough. */
export type UnsureDecision = {
  readonly agentId: string
  readonly confidence: number
  readonly threshold: number
  /** The decision as the log shows it. */
  readonly decision: unknown
}

/** The interrupt that asks a person to ratify a decision. */
export function toEscalation(nodeId: string, { agentId, confidence, threshold, decision }: UnsureDecision) {
  const data = { agentId, threshold, observed: confidence }
  const request: InterruptRequest = { kind: 'low-confidence', key: nodeId, data: { ...data, decision } }
  return {
    kind: 'interrupt',
    request,
    eventRequest: request,
    suspended: { reason: 'low-confidence', ...data },
  } as const
}

/** Whether the person has ratified it. */
export function isRatified(resolution: unknown): boolean {
  return (resolution as { readonly action?: unknown }).action === 'accept'
}
