import type { NodeType } from '../app/runs/node-type.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf } from './memory-config.ts'

/** The newest memories of a ref. */
export const memoryList: NodeType = {
  typeId: 'colophon.memory.list',
  checkConfig: (config, field) => checkMemoryConfig(config, field, ['limit', 'tag'], []),
  async execute(request) {
    const { limit, tag } = request.config as { limit?: number; tag?: string }
    const options = { ...(limit === undefined ? {} : { limit }), ...(tag === undefined ? {} : { tag }) }
    const entries = await request.memory.list(memoryRefOf(request), options)
    return { kind: 'completed', outputs: { count: entries.length }, ...intoVariable(request, entries) }
  },
}
