import { checkCount, checkKnownKeys } from '../../core/check.ts'
import { type CompactionPolicy, checkOutputBytes } from '../../core/compaction/policy.ts'
import type { Selection } from '../../core/compaction/select.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkMemoryRef } from '../../core/names.ts'
import { isEphemeralRef } from '../../core/run/ephemeral.ts'

const dayMs = 24 * 60 * 60 * 1_000

/** What a pass over one ref is to do. */
export type CompactionOrder = {
  readonly memoryRef: string
  readonly selection: Selection
  readonly outputBytesMax: number
}

/** What somebody asks for by hand. What is left out is as the policy says, but age, count and size stand in nobody's way. */
export type CompactionDraft = {
  readonly memoryRef: string
  readonly maxInputEntries?: number | undefined
  readonly maxOutputBytes?: number | undefined
  readonly minAgeDays?: number | undefined
  readonly keepNewest?: number | undefined
}

const draftKeys = ['memoryRef', 'maxInputEntries', 'maxOutputBytes', 'minAgeDays', 'keepNewest'] as const

export function parseCompactionDraft(draft: unknown): CompactionDraft {
  checkKnownKeys('compaction', draft ?? null, draftKeys)
  const { memoryRef, maxInputEntries, maxOutputBytes, minAgeDays, keepNewest } = draft as Record<string, unknown>
  checkMemoryRef(memoryRef)
  if (isEphemeralRef(memoryRef))
    throw invalid('memoryRef', 'must name entries that are kept: a scratchpad ends with its run')
  if (maxInputEntries !== undefined) {
    checkCount('maxInputEntries', maxInputEntries, 2)
    if (maxInputEntries > limits.compactionSourcesMax) {
      const limit = { limit: 'compactionSourcesMax', max: limits.compactionSourcesMax }
      throw invalid('maxInputEntries', `must be at most ${limits.compactionSourcesMax}`, limit)
    }
  }
  if (maxOutputBytes !== undefined) checkOutputBytes('maxOutputBytes', maxOutputBytes)
  if (minAgeDays !== undefined) checkCount('minAgeDays', minAgeDays, 0)
  if (keepNewest !== undefined) checkCount('keepNewest', keepNewest, 0)
  return draft as CompactionDraft
}

export function requestedOrder(draft: CompactionDraft, policy: CompactionPolicy, now: number): CompactionOrder {
  const { memoryRef, maxInputEntries, maxOutputBytes, minAgeDays, keepNewest = 0 } = draft
  return {
    memoryRef,
    selection: {
      ...policy,
      keep_newest: keepNewest,
      min_entries: 2,
      min_bytes: 0,
      max_input_entries: maxInputEntries ?? policy.max_input_entries,
      // Up to this moment: what is put while the pass is under way is not for it.
      createdBefore: minAgeDays === undefined ? now + 1 : now - minAgeDays * dayMs,
    },
    outputBytesMax: maxOutputBytes ?? policy.max_output_bytes,
  }
}

export function scheduledOrder(memoryRef: string, policy: CompactionPolicy, now: number): CompactionOrder {
  const createdBefore = now - policy.min_age_days * dayMs
  return { memoryRef, selection: { ...policy, createdBefore }, outputBytesMax: policy.max_output_bytes }
}
