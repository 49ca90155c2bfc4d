import type { CompactionPolicy } from '../../core/compaction/policy.ts'
import type { Selection } from '../../core/compaction/select.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** What a pass over one ref is to do. */
export type CompactionPlan = {
  readonly memoryRef: string
  readonly selection: Selection
  readonly outputBytesMax: number
}

/** What somebody asks for by hand. What is left out is as the policy says, but age, count and size stand in nobody's way. */
export type CompactionRequest = {
  readonly memoryRef: string
  readonly maxInputEntries?: number | undefined
  readonly maxOutputBytes?: number | undefined
  readonly minAgeDays?: number | undefined
  readonly keepNewest?: number | undefined
}

export function requestedOrder(draft: CompactionRequest, policy: CompactionPolicy, now: number): CompactionPlan {
  const { memoryRef, maxInputEntries, maxOutputBytes, minAgeDays, keepNewest = 0 } = draft
  return {
    memoryRef,
    selection: {
      ...policy,
      keepNewest,
      minEntries: 2,
      minBytes: 0,
      maxInputEntries: maxInputEntries ?? policy.maxInputEntries,
      // Up to this moment: what is put while the pass is under way is not for it.
      createdBefore: minAgeDays === undefined ? now + 1 : now - minAgeDays * dayMs,
    },
    outputBytesMax: maxOutputBytes ?? policy.maxOutputBytes,
  }
}

export function planOfPolicy(memoryRef: string, policy: CompactionPolicy, now: number): CompactionPlan {
  const createdBefore = now - policy.minAgeDays * dayMs
  return { memoryRef, selection: { ...policy, createdBefore }, outputBytesMax: policy.maxOutputBytes }
}
