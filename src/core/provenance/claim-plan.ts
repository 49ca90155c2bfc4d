import type { Ending, Expectation, NewEntry, Revision } from '../commit/batch.ts'
import type { EntryVersion, Origin } from '../entries/entry.ts'
import type { Readers } from '../entries/readers.ts'
import type { Category } from './category.ts'
import type { Assertion, ClaimRecord, Pin } from './claim.ts'
import type { ClaimStep, Repricing } from './claim-step.ts'
import type { Decided } from './decided.ts'
import type { TrustRules } from './resolve-conflict.ts'

/** What a decision about a claim is made from, and what it changes. */

/** A stored claim with its assertions and the newest version of each entry that they name. */
export type ClaimState = {
  readonly claim: ClaimRecord | null
  readonly assertions: readonly Assertion[]
  readonly entries: ReadonlyMap<string, EntryVersion>
  /** Left out when all assertions have the same class. */
  readonly rules?: TrustRules
}

/** Which claim: its id, and the subject, category and key that the id is made from. */
export type ClaimIdentity = {
  readonly claimId: string
  readonly subject: string
  readonly category: Category
  readonly claimKey: string | null
}

/** An assertion before it is stored: its ordinal, entry and position are decided with the claim. */
export type NewAssertion = Omit<
  Assertion,
  'claimId' | 'ordinal' | 'entryId' | 'recordedPosition' | 'withdrawnPosition' | 'seal'
> & {
  readonly origin: Origin
  readonly tags: readonly string[]
  readonly expiresAt: number | null
  /** Who may read the content. The content key depends on it, so all assertions of a content have the same. */
  readonly readers: Readers
  readonly sessionId?: string
}

/** The change of a claim, and the changes of entries that follow from it. */
export type ClaimPlan = {
  readonly step: ClaimStep
  readonly puts: readonly NewEntry[]
  readonly revisions: readonly Revision[]
  readonly ends: readonly Ending[]
  readonly expects: readonly Expectation[]
  /** New contents that are current. Those that lost at once are not counted. */
  readonly created: number
  readonly superseded: number
  /** What was decided about each added assertion. */
  readonly decided: readonly Decided[]
}

/** What happens to a claim. */
export type ClaimChange = {
  readonly added?: readonly NewAssertion[]
  /** The entry whose content is deleted. */
  readonly withdrawn?: EntryVersion
  /** The entry that gets the one added content as its next version: an edit of a content that competes with no other. */
  readonly replaced?: EntryVersion
  /** Undefined leaves the pin as it is. */
  readonly pin?: Pin | null
  readonly repriced?: readonly Repricing[]
  /** The origins of contents whose entry was erased, by source event: they get a new entry. */
  readonly origins?: ReadonlyMap<string, ContentOrigin>
}

/** Where a content comes from, and who may read it. */
export type ContentOrigin = Pick<NewAssertion, 'origin' | 'readers'>

/** Makes ids and salts. */
export type Ids = { readonly entryId: () => string; readonly salt: () => string }
