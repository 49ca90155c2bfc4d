import type { NodeDraft } from '../app/runs/node-type.ts'
import { withoutClass } from '../core/entries/entry.ts'
import { defineNodeType } from './define-node-type.ts'
import { intoMember, intoVariable, memoryRefMember, memoryRefOf, textOf } from './memory-config.ts'

export const memoryPut = defineNodeType({
  typeId: 'colophon.memory.put',
  description: 'Stores a text as a new entry.',
  config: {
    content: { description: 'the text', type: 'text', isRequired: true },
    memoryRef: memoryRefMember,
    tags: { description: 'the tags of the entry' },
    expiresAt: { description: 'when the entry expires', type: 'text' },
    subject: { description: 'whom the entry is about', type: 'text' },
    trust: { description: 'a lower trust class, such as untrusted for the output of a tool', type: 'text' },
    readers: { description: 'who inside the tenant may read the entry' },
    into: intoMember,
  },
  replay: 'effects',
  async execute(request) {
    const { memory, config } = request
    const { tags, expiresAt, subject, trust, readers } = config
    const draft = { content: textOf(request, 'content'), tags, expiresAt, subject, trust, readers } as NodeDraft
    const entry = await memory.put(memoryRefOf(request), draft)
    if (config.into === undefined) return { kind: 'completed', outputs: { id: entry.id } }
    return {
      kind: 'completed',
      outputs: { id: entry.id },
      ...intoVariable(request, withoutClass(await entry.stored())),
    }
  },
})
