import type { NodeRequest, NodeResult } from '../app/runs/node-type.ts'
import { checkCount } from '../core/check.ts'
import type { InterruptRequest } from '../core/run/interrupt.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { isErased, refuseErased } from '../core/workflow/erased.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json.ts'

/** What a node leaves behind once its question was answered: the answer as outputs, and in a variable when asked for. */
export function answered(value: unknown, into: unknown): NodeResult {
  const outputs = isJsonObject(value) && !isErased(value) ? value : { value }
  return {
    kind: 'completed',
    outputs,
    ...(typeof into === 'string' && into !== '' ? { variables: { [into]: value } } : {}),
  }
}

type Ask = (node: WorkflowNode, config: JsonObject) => Omit<InterruptRequest, 'timeoutMs'>

/**
 * A question. It may quote memory, so events tell it in the words of the workflow, with nothing filled in; who may
 * answer reads it in full in the run.
 */
export function asking({ node, config }: NodeRequest, ask: Ask): NodeResult {
  const timeout = timeoutOf(config.timeoutMs)
  return {
    kind: 'interrupt',
    request: { ...ask(node, config), ...timeout },
    told: { ...ask(node, node.config), ...timeout },
  }
}

export const timedOut: NodeResult = {
  kind: 'failed',
  error: { code: 'interrupt_timeout', message: 'Nobody answered in time.' },
}

/** A template is filled in when the node is executed, so a text passes here and is judged then. */
export function checkTimeout(timeoutMs: unknown, field: string): void {
  if (timeoutMs !== undefined && typeof timeoutMs !== 'string') checkCount(`${field}.timeoutMs`, timeoutMs, 0)
}

function timeoutOf(timeoutMs: unknown): { timeoutMs?: number } {
  if (timeoutMs === undefined) return {}
  refuseErased(timeoutMs)
  checkCount('timeoutMs', timeoutMs, 0)
  return { timeoutMs }
}
