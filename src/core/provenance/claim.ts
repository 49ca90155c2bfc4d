import type { Category } from './category.ts'

/** One content as one source event stated it, with the authority its writer had when it was stored. */
export type Assertion = {
  readonly claimId: string
  /** Its place among the claim's assertions. */
  readonly ordinal: number
  readonly sourceEventId: string
  /** Its place among what the source event stated. */
  readonly candidate: number
  readonly service: string | null
  readonly eventId: string | null
  /** Who made the call that stated it. Not stored here: its source event has it; null when the event is gone. */
  readonly actor: string | null
  readonly content: string
  /** Equal for equal contents, however they are spelled. */
  readonly contentKey: string
  readonly importance: number
  readonly confidence: number
  readonly priority: number
  readonly observedAt: number
  /** The entry that holds this content; null while the content is too weak to be remembered. */
  readonly entryId: string | null
  readonly recordedPosition: number
  /** Set when the content was deleted: it does not count any more. */
  readonly withdrawnPosition: number | null
  /** A salt and the digest of both: what the audit knows the content by. Empty once the content is erased. */
  readonly seal: string
  /** Kept without a second sighting. Not stored: what was kept has an entry. */
  readonly isKeptAlone?: true
}

/** An assertion as its row has it: without what is read from its event, and what is not stored. */
export type StoredAssertion = Omit<Assertion, 'actor' | 'isKeptAlone'>

/** An assertion before its content went through the redactor. The salt of its seal is added when the batch is made. */
export type UnsealedAssertion = Omit<Assertion, 'seal'> & { readonly salt?: string }

/** A person's decision for one content; it stands until it is taken back. */
export type Pin = {
  readonly contentKey: string
  readonly actor: string
  readonly reason: string
  readonly at: number
}

/** The slot that assertions can disagree about: subject, category and key. */
export type Claim = {
  readonly claimId: string
  /** Grows with every change; a change is decided on one revision and stored only on that. */
  readonly revision: number
  readonly subject: string
  readonly category: Category
  readonly claimKey: string | null
  /** The entry of the content that holds now. */
  readonly winner: string | null
  readonly isContested: boolean
  readonly pin: Pin | null
  readonly updatedPosition: number
}

/** Candidates at least this sure are remembered at once; weaker ones when a second writer says the same. */
export const confidenceKept = 0.65
/** Below this a candidate is dropped and counted. */
export const confidenceBuffered = 0.45

export type ContentStanding = {
  readonly contentKey: string
  readonly entryId: string | null
  /** Its best assertion: what it is ranked and shown by. */
  readonly best: Assertion
  readonly supporters: readonly Assertion[]
  readonly isKept: boolean
}

export type Verdict = {
  /** Best first. */
  readonly standings: readonly ContentStanding[]
  readonly winner: ContentStanding | null
  /** Not pinned, and another content has the same priority as the winner. */
  readonly isContested: boolean
}

/**
 * Who wins a claim: a pure function of the set of its assertions and the pin. Priority, then the later observation, then
 * the higher confidence, then service, event and place: a total order that does not depend on who came first.
 */
export function resolveClaim(assertions: readonly Assertion[], pin: Pin | null): Verdict {
  const byContent = new Map<string, Assertion[]>()
  for (const assertion of assertions) {
    if (assertion.withdrawnPosition !== null) continue
    const others = byContent.get(assertion.contentKey)
    if (others) others.push(assertion)
    else byContent.set(assertion.contentKey, [assertion])
  }
  const standings = [...byContent.values()].map(standingOf).sort((a, b) => byRank(a.best, b.best))
  const kept = standings.filter(({ isKept }) => isKept)
  const pinned = pin === null ? undefined : kept.find(({ contentKey }) => contentKey === pin.contentKey)
  const winner = pinned ?? kept[0] ?? null
  const isContested =
    pinned === undefined && kept.filter(({ best }) => best.priority === winner?.best.priority).length > 1
  return { standings, winner, isContested }
}

function standingOf(supporters: readonly Assertion[]): ContentStanding {
  const [first, ...rest] = [...supporters].sort(byRank)
  const best = first as Assertion
  const isSure = supporters.some(({ confidence }) => confidence >= confidenceKept)
  const entryId = [best, ...rest].find((assertion) => assertion.entryId !== null)?.entryId ?? null
  // What has an entry was kept once, and stays: the sources of a content only grow in number.
  const isKept =
    isSure || countWriters(supporters) >= 2 || entryId !== null || supporters.some((item) => item.isKeptAlone)
  return { contentKey: best.contentKey, entryId, best, supporters, isKept }
}

/** The better one first. */
export function byRank(a: Assertion, b: Assertion): number {
  return (
    b.priority - a.priority ||
    b.observedAt - a.observedAt ||
    b.confidence - a.confidence ||
    compare(a.service ?? '', b.service ?? '') ||
    compare(a.eventId ?? a.sourceEventId, b.eventId ?? b.sourceEventId) ||
    a.candidate - b.candidate
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

type Stated = Pick<Assertion, 'service' | 'actor'>

/** Who stands behind an assertion: its writer; without one, the key that made the call. However often it is repeated, it is one. */
function writerOf({ service, actor }: Stated): string {
  return service === null ? `actor ${actor ?? ''}` : `service ${service}`
}

/** How many different writers stand behind a content. */
export function countWriters(supporters: readonly Stated[]): number {
  return new Set(supporters.map(writerOf)).size
}

/** Several writers that agree are surer than one: each leaves only part of the doubt, and none all of it. */
export function shownConfidence(supporters: readonly (Stated & Pick<Assertion, 'confidence'>)[]): number {
  const byWriter = new Map<string, number>()
  for (const supporter of supporters) {
    const writer = writerOf(supporter)
    byWriter.set(writer, Math.max(byWriter.get(writer) ?? 0, supporter.confidence))
  }
  // Multiplied in an order that does not depend on arrival, so that the same writers give the very same number.
  const doubt = [...byWriter.values()].sort((a, b) => a - b).reduce((left, confidence) => left * (1 - confidence), 1)
  return Math.round((1 - doubt) * 1_000) / 1_000
}

/** Texts that say the same word for word, but for case, spaces and the punctuation at the end. */
export function normaliseContent(content: string): string {
  return content
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/[\s.!?;,]+$/u, '')
    .trim()
}
