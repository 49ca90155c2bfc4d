import { withMemorySpan } from '../../telemetry/memory-span.ts'
import type { NodeMemory } from './node-type.ts'

/** The memory of a node whose searches and changes are spans. Reads by id or tag are none: the conventions have no name for them. */
export function tracedMemory(memory: NodeMemory): NodeMemory {
  return {
    list: (ref, options) => memory.list(ref, options),
    get: (ref, id) => memory.get(ref, id),
    findNothing: (op) => memory.findNothing(op),
    distill: (ref, tokenBudget) => memory.distill(ref, tokenBudget),
    getFile: (path, options) => memory.getFile(path, options),
    putFile: (path, draft) => memory.putFile(path, draft),
    search: (ref, query, options) =>
      withMemorySpan('search_memory', async (note) => {
        const hits = await memory.search(ref, query, options)
        note({ recordCount: hits.length })
        return hits
      }),
    put: (ref, draft) =>
      withMemorySpan('create_memory', async (note) => {
        const pending = await memory.put(ref, draft)
        note({ recordCount: 1, recordId: pending.id })
        return pending
      }),
    delete: (ref, id) =>
      withMemorySpan('delete_memory', async (note) => {
        const isDeleted = await memory.delete(ref, id)
        note({ recordCount: 1, ...(isDeleted ? { recordId: id } : {}) })
        return isDeleted
      }),
  }
}
