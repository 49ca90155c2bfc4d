import { withoutClass } from '../core/entries/entry.ts'
import { containsErased } from '../core/workflow/erased-value.ts'
import { defineNodeType } from './define-node-type.ts'
import { idMember, intoMember, intoVariable, memoryRefMember, memoryRefOf, textOf } from './memory-config.ts'

export const memoryGet = defineNodeType({
  typeId: 'colophon.memory.get',
  description: 'Reads one entry by its id; null when there is none.',
  config: { id: idMember, memoryRef: memoryRefMember, into: intoMember },
  replay: 'reads',
  acceptsErased: true,
  async execute(request) {
    if (containsErased(request.config)) {
      await request.memory.findNothing('get')
      return { kind: 'completed', outputs: { found: false }, ...intoVariable(request, null) }
    }
    const entry = await request.memory.get(memoryRefOf(request), textOf(request, 'id'))
    return {
      kind: 'completed',
      outputs: { found: entry !== null },
      ...intoVariable(request, entry && withoutClass(entry)),
    }
  },
})
