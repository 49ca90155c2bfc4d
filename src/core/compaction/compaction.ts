import { ColophonError } from '../errors.ts'
import { invariant } from '../invariant.ts'

/** A source entry of a compaction, with the version that was read. */
export type CompactionSource = { readonly entryId: string; readonly version: number }

type CompactionStatus = 'completed' | 'undone'

/**
 * A compaction: many entries of one ref were replaced by one. The sources are ended, not erased: reads as of an earlier
 * position still return them.
 */
export type Compaction = {
  readonly compactionId: string
  readonly memoryRef: string
  readonly outputId: string
  readonly sourceCount: number
  /** The size of the output's content in UTF-8. */
  readonly byteSize: number
  /** The run that recorded it: a maintenance run, or of a distillation the one whose node made it. */
  readonly runId: string
  /** The summariser that wrote the output: `extractive`, or the model's name. */
  readonly summariser: string
  readonly status: CompactionStatus
  readonly recordedPosition: number
  readonly at: number
  readonly undonePosition: number | null
  readonly undoneAt: number | null
  /** Of a distillation: the budget, the tokens it used, and a keyed digest of sources, budget and summariser. Null otherwise. */
  readonly tokenBudget: number | null
  readonly tokensUsed: number | null
  readonly checksum: string | null
}

/** Whether it is a distillation: its sources stay, and its output is an archive beside them. */
export function isDistillation({ tokenBudget }: Pick<Compaction, 'tokenBudget'>): boolean {
  return tokenBudget !== null
}

/** A compaction as a batch requests it. */
export type NewCompaction = Pick<
  Compaction,
  'compactionId' | 'memoryRef' | 'outputId' | 'byteSize' | 'runId' | 'summariser'
> &
  Partial<Pick<Compaction, 'tokenBudget' | 'tokensUsed' | 'checksum'>> & {
    readonly sources: readonly CompactionSource[]
  }

/** What a batch does to a compaction: makes a new one, or undoes the one with this id. */
export type CompactionStep = { readonly made: NewCompaction } | { readonly undone: string }

/** A compaction as it is stored; `sources` is empty for an undo. */
export type SealedCompaction = { readonly compaction: Compaction; readonly sources: readonly CompactionSource[] }

/** Seals a step under the tenant's lock. A compaction is made once and undone at most once. */
export function sealCompaction(
  step: CompactionStep,
  load: (compactionId: string) => Compaction | undefined,
  position: number,
  at: number,
): SealedCompaction {
  if ('undone' in step) return { compaction: undo(load(step.undone), position, at), sources: [] }
  const { sources, ...made } = step.made
  invariant(sources.length > 0, 'a compaction has sources: its lineage explains its output')
  if (load(made.compactionId) !== undefined)
    throw compactionStateError('exists', 'A compaction with this id already exists.')
  const life = { recordedPosition: position, at, undonePosition: null, undoneAt: null }
  const compaction: Compaction = {
    ...noDistillation,
    ...made,
    sourceCount: sources.length,
    status: 'completed',
    ...life,
  }
  return { compaction, sources }
}

/** The members of a compaction that is no distillation. */
const noDistillation = { tokenBudget: null, tokensUsed: null, checksum: null } as const

function undo(stored: Compaction | undefined, position: number, at: number): Compaction {
  if (stored === undefined) throw new ColophonError('not_found', 'No compaction with this id exists.')
  if (stored.status === 'undone') throw compactionStateError('already_undone', 'The compaction is already undone.')
  return { ...stored, status: 'undone', undonePosition: position, undoneAt: at }
}

type StateReason = 'exists' | 'already_undone' | 'output_changed' | 'source_changed' | 'source_gone'

/** The `compaction_state` error with its reason. */
export function compactionStateError(reason: StateReason, message: string): ColophonError {
  return new ColophonError('compaction_state', message, { details: { reason } })
}
