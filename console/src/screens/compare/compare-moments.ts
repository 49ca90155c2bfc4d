import type { TenantSearchAnswer } from '../../../../src/client/index.ts'

export type ComparedMemory = NonNullable<TenantSearchAnswer['memories']>[number]

/** What became of memories between two moments. */
export type Comparison = {
  readonly added: readonly ComparedMemory[]
  readonly changed: readonly { readonly before: ComparedMemory; readonly after: ComparedMemory }[]
  /** There before, and not current any more. */
  readonly gone: readonly ComparedMemory[]
  readonly same: number
}

/** Compares what was current at two moments, by id. Both lists have the last change first, and so has the result. */
export function compareMemories(before: readonly ComparedMemory[], after: readonly ComparedMemory[]): Comparison {
  const then = new Map(before.map((memory) => [memory.id, memory]))
  const now = new Set(after.map(({ id }) => id))
  const isChanged = (memory: ComparedMemory, old: ComparedMemory) =>
    memory.version !== old.version || memory.content !== old.content
  const kept = after.flatMap((memory) => {
    const old = then.get(memory.id)
    return old === undefined ? [] : [{ before: old, after: memory }]
  })
  const changed = kept.filter((pair) => isChanged(pair.after, pair.before))
  return {
    added: after.filter(({ id }) => !then.has(id)),
    changed,
    gone: before.filter(({ id }) => !now.has(id)),
    same: kept.length - changed.length,
  }
}
