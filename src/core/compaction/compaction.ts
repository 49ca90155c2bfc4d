import { ColophonError } from '../errors.ts'

/** One entry that went into a compaction, by the version that was read. */
export type CompactionSource = { readonly entryId: string; readonly version: number }

type CompactionStatus = 'completed' | 'undone'

/** Many entries of one ref that became one. The sources are ended, not gone: earlier moments still show them. */
export type Compaction = {
  readonly compactionId: string
  readonly memoryRef: string
  readonly outputId: string
  readonly sourceCount: number
  /** Of the output's content, in UTF-8. */
  readonly byteSize: number
  /** The maintenance run whose log tells of it. */
  readonly runId: string
  /** Who wrote the output's text: `extractive`, or the model's name. */
  readonly summariser: string
  readonly status: CompactionStatus
  readonly recordedPosition: number
  readonly at: number
  readonly undonePosition: number | null
  readonly undoneAt: number | null
}

export type NewCompaction = Pick<
  Compaction,
  'compactionId' | 'memoryRef' | 'outputId' | 'byteSize' | 'runId' | 'summariser'
> & { readonly sources: readonly CompactionSource[] }

export type CompactionStep = { readonly made: NewCompaction } | { readonly undone: string }

/** A compaction as it will be stored; the sources only when it is new. */
export type SealedCompaction = { readonly compaction: Compaction; readonly sources: readonly CompactionSource[] }

/** Decides a step under the tenant's lock. A compaction is made once and undone once. */
export function sealCompaction(
  step: CompactionStep,
  load: (compactionId: string) => Compaction | undefined,
  position: number,
  at: number,
): SealedCompaction {
  if ('undone' in step) return { compaction: undo(load(step.undone), position, at), sources: [] }
  const { sources, ...made } = step.made
  if (load(made.compactionId) !== undefined) throw compactionState('exists', 'A compaction with this id is there.')
  const life = { recordedPosition: position, at, undonePosition: null, undoneAt: null }
  return { compaction: { ...made, sourceCount: sources.length, status: 'completed', ...life }, sources }
}

function undo(stored: Compaction | undefined, position: number, at: number): Compaction {
  if (stored === undefined) throw new ColophonError('not_found', 'There is no such compaction.')
  if (stored.status === 'undone') throw compactionState('already_undone', 'The compaction was undone before.')
  return { ...stored, status: 'undone', undonePosition: position, undoneAt: at }
}

type StateReason = 'exists' | 'already_undone' | 'output_changed' | 'source_changed' | 'source_gone'

export function compactionState(reason: StateReason, message: string): ColophonError {
  return new ColophonError('compaction_state', message, { details: { reason } })
}
