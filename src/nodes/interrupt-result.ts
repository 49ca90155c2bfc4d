import type { NodeConfigMember, NodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { checkCount } from '../core/check.ts'
import type { InterruptRequest } from '../core/run/interrupt.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { isErased, refuseErased } from '../core/workflow/erased-value.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json-values.ts'

/** What the nodes that wait for an answer share. */

export const timeoutMember: NodeConfigMember = {
  description: 'milliseconds until the node fails with interrupt_timeout; 0 for no timeout',
}
export const answerVariableMember: NodeConfigMember = { description: 'the variable that gets the answer' }

/** The node completes with the answer as its outputs, and in the variable `into` if the config names one. */
export function answered(value: unknown, into: unknown): NodeResult {
  const outputs = isJsonObject(value) && !isErased(value) ? value : { value }
  return {
    kind: 'completed',
    outputs,
    ...(typeof into === 'string' && into !== '' ? { variables: { [into]: value } } : {}),
  }
}

type ToRequest = (node: WorkflowNode, config: JsonObject) => Omit<InterruptRequest, 'timeoutMs'>

/**
 * The node waits for an answer. The request may quote memory, so events show it with the templates of the workflow, not
 * replaced. Clients that may answer read it in full in the run.
 */
export function interrupted({ node, config }: NodeRequest, toRequest: ToRequest): NodeResult {
  const timeout = timeoutOf(config.timeoutMs)
  return {
    kind: 'interrupt',
    request: { ...toRequest(node, config), ...timeout },
    eventRequest: { ...toRequest(node, node.config), ...timeout },
  }
}

export const timedOut = {
  kind: 'failed',
  error: { code: 'interrupt_timeout', message: 'The interrupt was not answered in time.' },
} as const satisfies NodeResult

/** At registration a text may be a template, so it is checked when the node is executed. */
export function checkTimeout(timeoutMs: unknown, field: string): void {
  if (timeoutMs !== undefined && typeof timeoutMs !== 'string') checkCount(`${field}.timeoutMs`, timeoutMs, 0)
}

function timeoutOf(timeoutMs: unknown): { timeoutMs?: number } {
  if (timeoutMs === undefined) return {}
  refuseErased(timeoutMs)
  checkCount('timeoutMs', timeoutMs, 0)
  return { timeoutMs }
}
