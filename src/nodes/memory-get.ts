import type { NodeType } from '../app/runs/node-type.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf, textOf } from './memory-config.ts'

/** One memory by its id, or null. */
export const memoryGet: NodeType = {
  typeId: 'colophon.memory.get',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['id'], ['id']),
  async execute(request) {
    const entry = await request.memory.get(memoryRefOf(request), textOf(request, 'id'))
    return { kind: 'completed', outputs: { found: entry !== null }, ...intoVariable(request, entry) }
  },
}
