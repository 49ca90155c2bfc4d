import { checkCount } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkMemoryRef } from '../names.ts'
import { isEphemeralRef } from '../run/ephemeral.ts'

/** Which entries a tenant wants to have compacted, and into how much. Part of its settings. */
export type CompactionPolicy = {
  /** Whether the daily pass does anything. What is asked for by hand always is done. */
  readonly enabled: boolean
  /** Younger entries stay as they are. */
  readonly minAgeDays: number
  /** Of every ref, so many of the newest entries stay as they are. */
  readonly keepNewest: number
  /** Fewer are not worth it. */
  readonly minEntries: number
  /** Less text than this is not worth it. */
  readonly minBytes: number
  /** Only entries with one of these tags; without any, all. */
  readonly tags: readonly string[]
  /** Entries with one of these tags stay as they are. */
  readonly skipTags: readonly string[]
  /** Whether what came out of a compaction may go into another one. */
  readonly outputs: boolean
  readonly maxInputEntries: number
  readonly maxOutputBytes: number
}

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

/** The policy after a change of some of its members. */
export function changePolicy(current: CompactionPolicy, change: Partial<CompactionPolicy> = {}): CompactionPolicy {
  const next = { ...current, ...change }
  const { minEntries, maxInputEntries: max } = next
  if (minEntries > max)
    throw invalid('compaction.minEntries', `must be at most ${max}, which may become one entry`, { max })
  return { ...next, tags: [...new Set(next.tags)], skipTags: [...new Set(next.skipTags)] }
}

export function checkCompactedRef(field: string, value: string): void {
  checkMemoryRef(value, field)
  if (isEphemeralRef(value)) throw invalid(field, 'must name entries that are kept: a scratchpad ends with its run')
}

export function checkInputEntries(field: string, value: number): void {
  checkCount(field, value, 2)
  const max = limits.compactionSourcesMax
  if (value > max) throw invalid(field, `must be at most ${max}`, { limit: 'compactionSourcesMax', max })
}

export function checkOutputBytes(field: string, value: unknown): asserts value is number {
  checkCount(field, value, limits.compactionOutputBytesMin)
  if (value > limits.contentBytesMax) {
    throw invalid(field, `must be at most ${limits.contentBytesMax}`, { max: limits.contentBytesMax })
  }
}
