import type { NodeType } from '../app/runs/node-type.ts'
import { holdsErased } from '../core/workflow/erased.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf } from './memory-config.ts'

/** The newest memories of a ref. */
export const memoryList: NodeType = {
  typeId: 'colophon.memory.list',
  replay: 'reads',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['limit', 'tag', 'tokenBudget'], []),
  acceptsErased: true,
  async execute(request) {
    if (holdsErased(request.config)) {
      await request.memory.findNothing('list')
      return { kind: 'completed', outputs: { count: 0 }, ...intoVariable(request, []) }
    }
    const { limit, tag, tokenBudget } = request.config as { limit?: number; tag?: string; tokenBudget?: number }
    const options = {
      ...(limit === undefined ? {} : { limit }),
      ...(tag === undefined ? {} : { tag }),
      ...(tokenBudget === undefined ? {} : { tokenBudget }),
    }
    const entries = await request.memory.list(memoryRefOf(request), options)
    return { kind: 'completed', outputs: { count: entries.length }, ...intoVariable(request, entries) }
  },
}
