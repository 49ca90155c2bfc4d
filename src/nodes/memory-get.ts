import type { NodeType } from '../app/runs/node-type.ts'
import { holdsErased } from '../core/workflow/erased.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf, textOf } from './memory-config.ts'

/** One memory by its id, or null. */
export const memoryGet: NodeType = {
  typeId: 'colophon.memory.get',
  replay: 'reads',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['id'], ['id']),
  acceptsErased: true,
  async execute(request) {
    if (holdsErased(request.config)) {
      await request.memory.findNothing('get')
      return { kind: 'completed', outputs: { found: false }, ...intoVariable(request, null) }
    }
    const entry = await request.memory.get(memoryRefOf(request), textOf(request, 'id'))
    return { kind: 'completed', outputs: { found: entry !== null }, ...intoVariable(request, entry) }
  },
}
