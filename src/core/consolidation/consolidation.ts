import type { Place } from '../entries/entry.ts'

/**
 * Why entries became one.
 *
 * - `duplicate`: the same words.
 * - `restatement`: the same words, some in another form.
 * - `included`: the other entry has every sentence of this one.
 * - `correction`: a later text of the same writer says that it corrects the earlier one.
 * - `model-same`: a model was asked, and says that both say the same.
 * - `model-corrects`: a model was asked, and says that the later text of the same writer replaces the earlier one.
 */
export const mergeReasons = [
  'duplicate',
  'restatement',
  'included',
  'correction',
  'model-same',
  'model-corrects',
] as const

export type MergeReason = (typeof mergeReasons)[number]

/** What the plan needs of an entry: keys that can be compared, and no text. */
export type ConsolidationItem = {
  readonly entryId: string
  readonly version: number
  readonly place: Place
  /** Entries of different groups are never compared: another subject, class, reader, expiry, category, speaker, and so on. */
  readonly group: string
  readonly exact: string
  readonly forms: string | null
  readonly words: ArrayLike<string | number>
  readonly sentences: readonly string[] | null
  /** With the writer: a correction counts for what the same writer said. */
  readonly template: string | null
  /** Whether it can correct another entry. What a consolidation made cannot. */
  readonly isCorrection: boolean
  /** Whether it is about a subject, which then is that of its group. */
  readonly hasSubject: boolean
}

/** Entries that become one. `kept` is the one whose text the output has. */
export type Merge = {
  readonly reason: MergeReason
  readonly kept: string
  /** `kept` too; the oldest first. */
  readonly sources: readonly { readonly entryId: string; readonly version: number }[]
  /** The model that said so; absent for a merge by the rules. */
  readonly model?: string
}

const prefix = 'consolidation.'

/** How a merge is stored in the place where a compaction names its summariser: its reason, and the model that was asked. */
export function summariserOf(reason: MergeReason, model?: string): string {
  return `${prefix}${reason}${model === undefined ? '' : `:${model}`}`
}

/** The reason of a stored merge; null for a compaction that made a summary. */
export function reasonOf(summariser: string): MergeReason | null {
  const [stored] = summariser.split(':')
  return mergeReasons.find((reason) => summariserOf(reason) === stored) ?? null
}
