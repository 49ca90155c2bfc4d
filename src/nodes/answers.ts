import type { NodeResult } from '../app/runs/node-type.ts'
import { isJsonObject } from '../core/workflow/json.ts'

/** What a node leaves behind once its question was answered: the answer as outputs, and in a variable when asked for. */
export function answered(value: unknown, into: unknown): NodeResult {
  const outputs = isJsonObject(value) ? value : { value }
  return {
    kind: 'completed',
    outputs,
    ...(typeof into === 'string' && into !== '' ? { variables: { [into]: value } } : {}),
  }
}

export const timedOut: NodeResult = {
  kind: 'failed',
  error: { code: 'interrupt_timeout', message: 'Nobody answered in time.' },
}
