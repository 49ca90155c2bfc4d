import type { NodeRequest } from '../app/runs/node-type.ts'
import { withoutClass } from '../core/entries/entry.ts'
import type { MinRelevance } from '../core/search/min-relevance.ts'
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
    minRelevance: { description: 'the lowest relevance: a number from 0 to 1, or `auto`' },
    into: intoMember,
  },
  replay: 'reads',
  acceptsErased: true,
  async execute(request) {
    if (containsErased(request.config)) {
      await request.memory.findNothing('search')
      return { kind: 'completed', outputs: { count: 0 }, ...intoVariable(request, []) }
    }
    const hits = await request.memory.search(memoryRefOf(request), textOf(request, 'query'), {
      ...selectionOf(request),
      ...minRelevanceOf(request),
    })
    const shown = hits.map(({ entry, score }) => ({ entry: withoutClass(entry), score }))
    return { kind: 'completed', outputs: { count: hits.length }, ...intoVariable(request, shown) }
  },
})

/** Checked where it is used: the value may come from a template. */
function minRelevanceOf({ config }: NodeRequest): { readonly minRelevance?: MinRelevance } {
  return config.minRelevance === undefined ? {} : { minRelevance: config.minRelevance as MinRelevance }
}
