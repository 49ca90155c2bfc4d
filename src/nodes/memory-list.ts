import { withoutClass } from '../core/entries/entry.ts'
import { containsErased } from '../core/workflow/erased-value.ts'
import { defineNodeType } from './define-node-type.ts'
import {
  intoMember,
  intoVariable,
  memoryRefMember,
  memoryRefOf,
  selectionMembers,
  selectionOf,
} from './memory-config.ts'

export const memoryList = defineNodeType({
  typeId: 'colophon.memory.list',
  description: 'Reads the newest entries of a ref.',
  config: { memoryRef: memoryRefMember, ...selectionMembers, into: intoMember },
  replay: 'reads',
  acceptsErased: true,
  async execute(request) {
    if (containsErased(request.config)) {
      await request.memory.findNothing('list')
      return { kind: 'completed', outputs: { count: 0 }, ...intoVariable(request, []) }
    }
    const entries = await request.memory.list(memoryRefOf(request), selectionOf(request))
    return {
      kind: 'completed',
      outputs: { count: entries.length },
      ...intoVariable(request, entries.map(withoutClass)),
    }
  },
})
