import type { NodeDraft, NodeType } from '../app/runs/node-type.ts'
import { checkMemoryConfig, intoVariable, memoryRefOf, textOf } from './memory-config.ts'

/** Remembers a text. */
export const memoryPut: NodeType = {
  typeId: 'colophon.memory.put',
  replay: 'effects',
  checkConfig: (config, field) =>
    checkMemoryConfig(config, field, ['content', 'tags', 'expiresAt', 'subject'], ['content']),
  async execute(request) {
    const { memory, config } = request
    const { tags, expiresAt, subject } = config
    const draft = { content: textOf(request, 'content'), tags, expiresAt, subject } as NodeDraft
    const entry = await memory.put(memoryRefOf(request), draft)
    if (config.into === undefined) return { kind: 'completed', outputs: { id: entry.id } }
    return { kind: 'completed', outputs: { id: entry.id }, ...intoVariable(request, await entry.stored()) }
  },
}
