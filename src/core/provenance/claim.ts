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
  /** A salt, and the digest of salt and content: the audit has the content only in this form. Empty once the content is erased. */
  readonly seal: string
  /** The content is kept without a second writer. Not stored: a kept content has an entry. */
  readonly isKeptAlone?: true
}

/** The stored columns of an assertion: without what is read from its event or derived. */
export type StoredAssertion = Omit<Assertion, 'actor' | 'isKeptAlone'>

/** An assertion before its content is redacted and sealed. The salt of the seal is added when the batch is made. */
export type UnsealedAssertion = Omit<Assertion, 'seal'> & { readonly salt?: string }

/** A person's decision for one content. It is valid until it is removed. */
export type Pin = {
  readonly contentKey: string
  readonly actor: string
  readonly reason: string
  readonly at: number
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

/** The form in which contents are compared: without differences in case, spaces and final punctuation. */
export function normaliseContent(content: string): string {
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[\s.!?;,]+$/u, '')
    .trim()
}
