import type { NodeType } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import type { InterruptKind } from '../core/run/interrupt.ts'
import { checkConfigurableSchema } from '../core/workflow/configurable.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { refuseErased } from '../core/workflow/erased.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json.ts'
import { answered, asking, checkTimeout, timedOut } from './answers.ts'

const kinds: readonly unknown[] = ['external-event', 'custom']

/** Waits for an event from outside, or for anything else that is answered with a value. */
export const interrupt: NodeType = {
  typeId: 'core.interrupt',
  replay: 'asks',
  checkConfig({ kind, data, timeoutMs, resumeSchema }, field) {
    if (!kinds.includes(kind)) throw invalid(`${field}.kind`, `must be one of ${kinds.join(', ')}`)
    if (data !== undefined && !isJsonObject(data)) throw invalid(`${field}.data`, 'must be an object')
    if (kind === 'external-event' && data?.correlation !== undefined && !isJsonObject(data.correlation))
      throw invalid(`${field}.data.correlation`, 'must be an object')
    checkTimeout(timeoutMs, field)
    if (resumeSchema !== undefined) checkConfigurableSchema(resumeSchema)
  },
  acceptsErased: true,
  async execute(request) {
    const { config, resolution, isTimedOut } = request
    if (isTimedOut) return timedOut
    return resolution === null ? asking(request, askOutside) : answered(resolution.value, config.into)
  },
}

function askOutside(node: WorkflowNode, config: JsonObject) {
  const { key, data = {}, resumeSchema } = config
  const kind = config.kind as InterruptKind
  return {
    kind,
    key: typeof key === 'string' && key !== '' ? key : node.id,
    data: dataOf(kind, data as JsonObject, node.id),
    ...(isJsonObject(resumeSchema) ? { resumeSchema } : {}),
  }
}

function dataOf(kind: InterruptKind, data: JsonObject, nodeId: string): JsonObject {
  if (kind === 'external-event') {
    const { eventType = nodeId, correlation = {} } = data
    refuseErased(correlation)
    return { eventType, correlation }
  }
  const { customKind = nodeId, payload } = data
  return { customKind, ...(payload === undefined ? {} : { payload }) }
}
