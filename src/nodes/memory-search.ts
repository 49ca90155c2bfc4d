import { containsErased } from '../core/workflow/erased-value.ts'
import { defineNodeType } from './define-node-type.ts'
import {
  intoMember,
  intoVariable,
  memoryRefMember,
  memoryRefOf,
  selectionMembers,
  selectionOf,
  textOf,
} from './memory-config.ts'

export const memorySearch = defineNodeType({
  typeId: 'colophon.memory.search',
  description: 'Finds the entries of a ref that match a query, best first.',
  config: {
    query: { description: 'the query', type: 'text', isRequired: true },
    memoryRef: memoryRefMember,
    ...selectionMembers,
    into: intoMember,
  },
  replay: 'reads',
  acceptsErased: true,
  async execute(request) {
    if (containsErased(request.config)) {
      await request.memory.findNothing('search')
      return { kind: 'completed', outputs: { count: 0 }, ...intoVariable(request, []) }
    }
    const hits = await request.memory.search(memoryRefOf(request), textOf(request, 'query'), selectionOf(request))
    return { kind: 'completed', outputs: { count: hits.length }, ...intoVariable(request, hits) }
  },
})
