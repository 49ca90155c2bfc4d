import type { Assertion, ClaimRecord, UnsealedAssertion } from './claim.ts'

/** A change of one claim, as part of a batch. */
export type ClaimStep = {
  /** The revision that the change was decided on; 0 makes a new claim. If the claim has another revision, the batch is refused. */
  readonly expects: number
  readonly claim: Omit<ClaimRecord, 'revision' | 'updatedPosition'>
  /** All assertions of the claim that the change was decided on. */
  readonly before: readonly Assertion[]
  readonly assertions: readonly Omit<UnsealedAssertion, 'recordedPosition'>[]
  /** Contents that are deleted: their assertions no longer count. */
  readonly withdrawn: readonly string[]
  /** Source services whose assertions get another priority. */
  readonly repriced: readonly Repricing[]
  /** Assertions whose content was redacted again. */
  readonly restated?: readonly Pick<UnsealedAssertion, 'ordinal' | 'content' | 'salt'>[]
  /** Contents whose text is erased from their assertions. */
  readonly erased?: readonly string[]
  /** Assertions whose marks of containments change. */
  readonly marked?: readonly ContainmentMarks[]
  /** Assertions that are deleted, by ordinal. */
  readonly removed?: readonly number[]
  /** Entries that are erased: their assertions have no entry any more. */
  readonly detached?: readonly string[]
  /** Contents that get a new entry. */
  readonly attached?: readonly { readonly contentKey: string; readonly entryId: string }[]
  /** The claim is deleted with all its assertions. */
  readonly isRemoved?: boolean
}

/** The containments that cover an assertion and its withdrawal from now on, by ordinal; null for none. */
export type ContainmentMarks = {
  readonly ordinal: number
  readonly containedBy: readonly string[] | null
  readonly withdrawalContainedBy: readonly string[] | null
}

/** A new priority for the assertions of one source service. */
export type Repricing = { readonly service: string; readonly priority: number }
