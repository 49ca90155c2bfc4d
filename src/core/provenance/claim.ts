import type { Trust } from '../entries/trust.ts'
import type { Category } from './category.ts'

/** One content as one source event stated it, with the authority that its writer had at that time. */
export type Assertion = {
  readonly claimId: string
  /** Its number among the assertions of the claim. */
  readonly ordinal: number
  readonly sourceEventId: string
  /** Its number among the candidates of the source event. */
  readonly candidate: number
  readonly service: string | null
  readonly eventId: string | null
  /** The actor of the call that stated it. It is read from the source event, not stored here; null when the event is erased. */
  readonly actor: string | null
  readonly content: string
  /** The same for contents that differ only in case, spaces and final punctuation. */
  readonly contentKey: string
  readonly importance: number
  readonly confidence: number
  readonly priority: number
  readonly observedAt: number
  /** The class of the call that stated it. */
  readonly trust: Trust
  /** The entry with this content; null while the content is buffered. */
  readonly entryId: string | null
  readonly recordedPosition: number
  /** Set when the content was deleted: the assertion no longer counts. */
  readonly withdrawnPosition: number | null
  /** The active containments that cover it: it does not count. Null or left out: none. */
  readonly containedBy?: readonly string[] | null
  /** The active containments that cover its withdrawal: the withdrawal has no effect. */
  readonly withdrawalContainedBy?: readonly string[] | null
  /** A salt, and the digest of salt and content: the audit has the content only in this form. Empty once the content is erased. */
  readonly seal: string
  /** A statement of its writer, and no reading of the words by an extractor: its content is kept without a second writer. Read from the source event. */
  readonly isKeptAlone?: true
}

/** The stored columns of an assertion: without what is read from its event or derived. */
export type StoredAssertion = Omit<Assertion, 'actor' | 'isKeptAlone'>

/** An assertion before its content is redacted and sealed. The salt of the seal is added when the batch is made. */
export type UnsealedAssertion = Omit<Assertion, 'seal'> & { readonly salt?: string }

/** Whether an assertion counts when its claim is resolved: it is not withdrawn, and no active containment covers it. */
export function isCounted(assertion: Pick<Assertion, 'withdrawnPosition' | 'containedBy' | 'withdrawalContainedBy'>) {
  return !isContained(assertion) && !isWithdrawn(assertion)
}

/** Whether an active containment covers an assertion. */
export function isContained({ containedBy }: Pick<Assertion, 'containedBy'>): boolean {
  return (containedBy ?? null) !== null
}

/** Whether an assertion is withdrawn, by a withdrawal that no active containment covers. */
export function isWithdrawn(assertion: Pick<Assertion, 'withdrawnPosition' | 'withdrawalContainedBy'>): boolean {
  return assertion.withdrawnPosition !== null && (assertion.withdrawalContainedBy ?? null) === null
}

/** A person's decision for one content. It is valid until it is removed. */
export type Pin = {
  readonly contentKey: string
  readonly actor: string
  readonly reason: string
  readonly at: number
  /** The active containments that cover the actor of the pin: the pin has no effect. */
  readonly containedBy?: readonly string[]
}

/** What assertions can disagree about: a subject, a category and a key. */
export type ClaimRecord = {
  readonly claimId: string
  /** Grows with every change. A change is decided on one revision, and refused if the claim has another one. */
  readonly revision: number
  readonly subject: string
  readonly category: Category
  readonly claimKey: string | null
  /** The entry of the winner. */
  readonly winner: string | null
  readonly isContested: boolean
  readonly pin: Pin | null
  readonly updatedPosition: number
}

/** Only from the beginning of a run: the runs of a long text are not read again from each of their signs. */
const finalSigns = /(?<![\s.!?;,])[\s.!?;,]+$/u

/** The form in which contents are compared: without differences in case, spaces and final punctuation. */
export function normaliseContent(content: string): string {
  return content.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').replace(finalSigns, '').trim()
}
