import { invalid } from '../core/errors.ts'
import type { InterruptKind } from '../core/run/interrupt.ts'
import { checkConfigurableSchema } from '../core/workflow/configurable.ts'
import type { WorkflowNode } from '../core/workflow/definition.ts'
import { refuseErased } from '../core/workflow/erased-value.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json-values.ts'
import { defineNodeType } from './define-node-type.ts'
import {
  answered,
  answerVariableMember,
  checkTimeout,
  interrupted,
  timedOut,
  timeoutMember,
} from './interrupt-result.ts'

const kinds: readonly unknown[] = ['external-event', 'custom']

export const interrupt = defineNodeType({
  typeId: 'core.interrupt',
  description: 'Waits for an external event or a value.',
  config: {
    kind: { description: 'external-event or custom' },
    data: { description: 'what is waited for' },
    key: { description: 'the key of the interrupt; the id of the node by default' },
    resumeSchema: { description: 'the schema of the answer' },
    timeoutMs: timeoutMember,
    into: answerVariableMember,
  },
  hasLenientConfig: true,
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
    return resolution === null ? interrupted(request, toInterruptRequest) : answered(resolution.value, config.into)
  },
})

function toInterruptRequest(node: WorkflowNode, config: JsonObject) {
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
