import { checkCount } from '../check.ts'
import { isArchiveRef } from '../distillation/archive.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkMemoryRef, isPrivateRef } from '../names.ts'
import { isEphemeralRef } from '../run/ephemeral.ts'

/** The compaction policy of a tenant: which entries are compacted, and into how much. Part of its settings. */
export type CompactionPolicy = {
  /** Whether the daily pass compacts anything. A compaction that a client requests always runs. */
  readonly enabled: boolean
  /** Younger entries are not compacted. */
  readonly minAgeDays: number
  /** This many of the newest entries of every ref are not compacted. */
  readonly keepNewest: number
  /** Smaller groups are not compacted. */
  readonly minEntries: number
  /** Groups with less text are not compacted. */
  readonly minBytes: number
  /** Only entries with one of these tags are compacted; an empty list means all. */
  readonly tags: readonly string[]
  /** Entries with one of these tags are not compacted. */
  readonly skipTags: readonly string[]
  /** Whether the output of a compaction may be the source of another. */
  readonly outputs: boolean
  readonly maxInputEntries: number
  readonly maxOutputBytes: number
}

/** The policy of a tenant that has not changed it. */
export const defaultCompactionPolicy: CompactionPolicy = {
  enabled: false,
  minAgeDays: 30,
  keepNewest: 100,
  minEntries: 20,
  minBytes: 0,
  tags: [],
  skipTags: [],
  outputs: false,
  maxInputEntries: 100,
  maxOutputBytes: 8_192,
}

/** Applies a change to a policy and checks the result. */
export function changePolicy(current: CompactionPolicy, change: Partial<CompactionPolicy> = {}): CompactionPolicy {
  const next = { ...current, ...change }
  const { minEntries, maxInputEntries: max } = next
  if (minEntries > max)
    throw invalid('compaction.minEntries', `must be at most ${max}, the value of compaction.maxInputEntries`, { max })
  return { ...next, tags: [...new Set(next.tags)], skipTags: [...new Set(next.skipTags)] }
}

/** Refuses a ref whose entries are not kept. */
export function checkCompactedRef(field: string, value: string): void {
  checkMemoryRef(value, field)
  if (isEphemeralRef(value))
    throw invalid(field, 'must not be a scratchpad or conversation: its entries end with the run')
  if (isPrivateRef(value)) throw invalid(field, 'must not be a workspace or commitments: these are not summarised')
  if (isArchiveRef(value)) throw invalid(field, 'must not be a ref of archives: an archive does not change')
}

/** Checks `maxInputEntries`. */
export function checkInputEntries(field: string, value: number): void {
  checkCount(field, value, 2)
  const max = limits.compactionSourcesMax
  if (value > max) throw invalid(field, `must be at most ${max}`, { limit: 'compactionSourcesMax', max })
}

/** Checks `maxOutputBytes`. */
export function checkOutputBytes(field: string, value: unknown): asserts value is number {
  checkCount(field, value, limits.compactionOutputBytesMin)
  if (value > limits.contentBytesMax) {
    throw invalid(field, `must be at most ${limits.contentBytesMax}`, { max: limits.contentBytesMax })
  }
}
