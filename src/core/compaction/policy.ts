import { checkCharacters, checkCount, checkKnownKeys } from '../check.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkMemoryRef } from '../names.ts'
import { isEphemeralRef } from '../run/ephemeral.ts'

/** Which entries a tenant wants to have compacted, and into how much. Part of its settings. */
export type CompactionPolicy = {
  /** Whether the daily pass does anything. What is asked for by hand always is done. */
  readonly enabled: boolean
  /** Younger entries stay as they are. */
  readonly min_age_days: number
  /** Of every ref, so many of the newest entries stay as they are. */
  readonly keep_newest: number
  /** Fewer are not worth it. */
  readonly min_entries: number
  /** Less text than this is not worth it. */
  readonly min_bytes: number
  /** Only entries with one of these tags; without any, all. */
  readonly tags: readonly string[]
  /** Entries with one of these tags stay as they are. */
  readonly skip_tags: readonly string[]
  /** Whether what came out of a compaction may go into another one. */
  readonly outputs: boolean
  readonly max_input_entries: number
  readonly max_output_bytes: number
}

export const defaultCompactionPolicy: CompactionPolicy = {
  enabled: false,
  min_age_days: 30,
  keep_newest: 100,
  min_entries: 20,
  min_bytes: 0,
  tags: [],
  skip_tags: [],
  outputs: false,
  max_input_entries: 100,
  max_output_bytes: 8_192,
}

const daysMax = 36_500
const policyTagsMax = 64

/** The policy after a change of some of its members. */
export function changePolicy(current: CompactionPolicy, change: unknown): CompactionPolicy {
  if (change === undefined) return current
  checkKnownKeys('compaction', change, Object.keys(defaultCompactionPolicy))
  const next = { ...current, ...(change as Partial<CompactionPolicy>) }
  for (const field of ['enabled', 'outputs'] as const) {
    if (typeof next[field] !== 'boolean') throw invalid(`compaction.${field}`, 'must be true or false')
  }
  checkRange('min_age_days', next.min_age_days, 0, daysMax)
  checkRange('keep_newest', next.keep_newest, 0, Number.MAX_SAFE_INTEGER)
  checkRange('min_bytes', next.min_bytes, 0, Number.MAX_SAFE_INTEGER)
  checkRange('max_input_entries', next.max_input_entries, 2, limits.compactionSourcesMax)
  checkRange('min_entries', next.min_entries, 2, next.max_input_entries)
  checkOutputBytes('compaction.max_output_bytes', next.max_output_bytes)
  return { ...next, tags: policyTags('tags', next.tags), skip_tags: policyTags('skip_tags', next.skip_tags) }
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

function checkRange(field: string, value: unknown, min: number, max: number): void {
  checkCount(`compaction.${field}`, value, min)
  if (value > max) throw invalid(`compaction.${field}`, `must be at most ${max}`, { max })
}

function policyTags(field: string, value: unknown): readonly string[] {
  const where = `compaction.${field}`
  if (!Array.isArray(value) || value.length > policyTagsMax) {
    throw invalid(where, `must be an array of at most ${policyTagsMax} tags`, { max: policyTagsMax })
  }
  // The host's own tags too: what runs wrote may be treated unlike what people put.
  for (const tag of value) checkCharacters(where, tag, 'tagCharactersMax', limits.tagCharactersMax)
  return [...new Set(value as string[])]
}
