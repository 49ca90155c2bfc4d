import type { HostNodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { isBelow, thresholdOf } from '../core/agents/confidence.ts'
import type { RunAgent } from '../core/agents/run-agent.ts'
import type { Decision } from '../core/workflow/decision.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import { isJsonObject } from '../core/workflow/json-values.ts'

/** The agent that a supervisor decides for: that of its node, or one that the host names after the node. */
function agentIdOf({ node }: HostNodeRequest): string {
  return node.agent?.agentId ?? `host:${node.id}`
}

/**
 * The result of a supervisor. A confidence of the agent below the threshold of the run, or of its manifest, holds the decision back: nothing is
 * decided before a person ratifies it.
 */
export function decided(
  request: HostNodeRequest,
  {
    decision,
    shown,
    confidence,
    agent = null,
  }: {
    readonly decision: Decision
    readonly shown: Decision
    readonly confidence?: number
    readonly agent?: RunAgent | null
  },
): NodeResult {
  const { turn, node, resolution, configurable } = request
  const agentId = agentIdOf(request)
  const threshold = thresholdOf(configurable, agent?.threshold)
  if (isBelow(confidence, threshold)) {
    if (resolution === null) {
      const data = { agentId, threshold, observed: confidence }
      return {
        kind: 'interrupt',
        request: { kind: 'low-confidence', key: node.id, data: { ...data, decision } },
        eventRequest: { kind: 'low-confidence', key: node.id, data: { ...data, decision: shown } },
        suspended: { reason: 'low-confidence', ...data },
      }
    }
    if (isRejection(resolution.value)) return rejected
  }
  return { kind: 'decided', agentId, decision, shown, outputs: { turn, decision: decision.kind } }
}

/** A person has refused what a supervisor wants to decide, or has decided. */
export const rejected: NodeResult = {
  kind: 'failed',
  error: { code: 'decision_rejected', message: 'The decision of the supervisor was rejected.' },
}

/** Whether a person has rejected. An answer that was forgotten accepts nothing. */
export function isRejection(value: unknown): boolean {
  refuseErased(value)
  return isJsonObject(value) && value.action === 'reject'
}
