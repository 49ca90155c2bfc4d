import type { NodeType } from '../app/runs/node-type.ts'
import { invalid } from '../core/errors.ts'
import type { InterruptKind } from '../core/run/interrupt.ts'
import { checkConfigurableSchema } from '../core/workflow/configurable.ts'
import { isJsonObject, type JsonObject } from '../core/workflow/json.ts'
import { answered, timedOut } from './answers.ts'

const kinds: readonly unknown[] = ['external-event', 'custom']

/** Waits for an event from outside, or for anything else that is answered with a value. */
export const interrupt: NodeType = {
  typeId: 'core.interrupt',
  checkConfig({ kind, data, timeoutMs, resumeSchema }, field) {
    if (!kinds.includes(kind)) throw invalid(`${field}.kind`, `must be one of ${kinds.join(', ')}`)
    if (data !== undefined && !isJsonObject(data)) throw invalid(`${field}.data`, 'must be an object')
    if (kind === 'external-event' && data?.correlation !== undefined && !isJsonObject(data.correlation))
      throw invalid(`${field}.data.correlation`, 'must be an object')
    if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && (timeoutMs as number) >= 0))
      throw invalid(`${field}.timeoutMs`, 'must be a whole number of milliseconds')
    if (resumeSchema !== undefined) checkConfigurableSchema(resumeSchema)
  },
  async execute({ node, config, resolution, isTimedOut }) {
    if (isTimedOut) return timedOut
    if (resolution !== null) return answered(resolution.value, config.into)
    const { kind, key, data = {}, timeoutMs, resumeSchema } = config
    return {
      kind: 'interrupt',
      request: {
        kind: kind as InterruptKind,
        key: typeof key === 'string' && key !== '' ? key : node.id,
        data: dataOf(kind as InterruptKind, data as JsonObject, node.id),
        ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}),
        ...(isJsonObject(resumeSchema) ? { resumeSchema } : {}),
      },
    }
  },
}

function dataOf(kind: InterruptKind, data: JsonObject, nodeId: string): JsonObject {
  if (kind === 'external-event') {
    const { eventType = nodeId, correlation = {} } = data
    return { eventType, correlation }
  }
  const { customKind = nodeId, payload } = data
  return { customKind, ...(payload === undefined ? {} : { payload }) }
}
