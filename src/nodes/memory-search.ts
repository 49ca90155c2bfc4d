import type { NodeType } from '../app/runs/node-type.ts'
import { holdsErased } from '../core/workflow/erased.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf, textOf } from './memory-config.ts'

/** The memories of a ref that bear on a question, best first. */
export const memorySearch: NodeType = {
  typeId: 'colophon.memory.search',
  replay: 'reads',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['query', 'limit', 'tag', 'tokenBudget'], ['query']),
  acceptsErased: true,
  async execute(request) {
    if (holdsErased(request.config)) {
      await request.memory.findNothing('search')
      return { kind: 'completed', outputs: { count: 0 }, ...intoVariable(request, []) }
    }
    const { limit, tag, tokenBudget } = request.config as { limit?: number; tag?: string; tokenBudget?: number }
    const options = {
      ...(limit === undefined ? {} : { limit }),
      ...(tag === undefined ? {} : { tag }),
      ...(tokenBudget === undefined ? {} : { tokenBudget }),
    }
    const hits = await request.memory.search(memoryRefOf(request), textOf(request, 'query'), options)
    return { kind: 'completed', outputs: { count: hits.length }, ...intoVariable(request, hits) }
  },
}
