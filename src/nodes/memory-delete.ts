import type { NodeType } from '../app/runs/node-type.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf, textOf } from './memory-config.ts'

/** Ends a memory; true if there was one. */
export const memoryDelete: NodeType = {
  typeId: 'colophon.memory.delete',
  replay: 'effects',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['id'], ['id']),
  async execute(request) {
    const deleted = await request.memory.delete(memoryRefOf(request), textOf(request, 'id'))
    return { kind: 'completed', outputs: { deleted }, ...intoVariable(request, deleted) }
  },
}
