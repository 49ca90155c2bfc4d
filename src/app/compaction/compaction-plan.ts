import type { CompactionPolicy } from '../../core/compaction/policy.ts'
import type { SelectionCriteria } from '../../core/compaction/select-sources.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** What a pass does with one ref. */
export type CompactionPlan = {
  readonly memoryRef: string
  readonly selection: SelectionCriteria
  readonly outputBytesMax: number
}

/** A compaction that a client requests. Missing members come from the policy, except that its minimum age, count and size do not apply. */
export type RequestedCompaction = {
  readonly memoryRef: string
  readonly maxInputEntries?: number | undefined
  readonly maxOutputBytes?: number | undefined
  readonly minAgeDays?: number | undefined
  readonly keepNewest?: number | undefined
}

/** The plan of a compaction that a client requests. */
export function planOfRequest(draft: RequestedCompaction, policy: CompactionPolicy, now: number): CompactionPlan {
  const { memoryRef, maxInputEntries, maxOutputBytes, minAgeDays, keepNewest = 0 } = draft
  return {
    memoryRef,
    selection: {
      ...policy,
      keepNewest,
      minEntries: 2,
      minBytes: 0,
      maxInputEntries: maxInputEntries ?? policy.maxInputEntries,
      // Up to now: entries that are put during the pass are not compacted.
      createdBefore: minAgeDays === undefined ? now + 1 : now - minAgeDays * dayMs,
    },
    outputBytesMax: maxOutputBytes ?? policy.maxOutputBytes,
  }
}

/** The plan of the daily pass, by the policy of the tenant. */
export function planOfPolicy(memoryRef: string, policy: CompactionPolicy, now: number): CompactionPlan {
  const createdBefore = now - policy.minAgeDays * dayMs
  return { memoryRef, selection: { ...policy, createdBefore }, outputBytesMax: policy.maxOutputBytes }
}
