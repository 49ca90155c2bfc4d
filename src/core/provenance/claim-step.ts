import type { Assertion, Claim, UnsealedAssertion } from './claim.ts'

/** A claim as a commit stores it. */
export type ClaimStep = {
  /** The revision this was decided on; 0 makes a new claim. If the claim has another, nothing of the batch is stored. */
  readonly expects: number
  readonly claim: Omit<Claim, 'revision' | 'updatedPosition'>
  /** All assertions of the claim as they were when this was decided. */
  readonly before: readonly Assertion[]
  readonly assertions: readonly Omit<UnsealedAssertion, 'recordedPosition'>[]
  /** Contents that are deleted: their assertions do not count any more. */
  readonly withdrawn: readonly string[]
  /** Services whose word counts differently from now on. */
  readonly repriced: readonly Repricing[]
  /** What was stated, with a secret taken out of it. */
  readonly restated?: readonly Pick<UnsealedAssertion, 'ordinal' | 'content' | 'salt'>[]
  /** Contents whose text is taken out of what was stated. */
  readonly erased?: readonly string[]
  /** Assertions that are deleted, by their place. */
  readonly removed?: readonly number[]
  /** Entries that are gone: what was stated for them has none any more. */
  readonly detached?: readonly string[]
  /** Contents that have another entry from now on. */
  readonly attached?: readonly { readonly contentKey: string; readonly entryId: string }[]
  /** The claim goes, with everything that was stated for it. */
  readonly isRemoved?: boolean
}

export type Repricing = { readonly service: string; readonly priority: number }
