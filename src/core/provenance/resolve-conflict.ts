import { defaultTrust, isBelow, type Trust, trustRank } from '../entries/trust.ts'
import { invariant } from '../invariant.ts'
import { type Assertion, isContained, isWithdrawn, type Pin } from './claim.ts'
import { type CredentialLines, contentTrust } from './content-trust.ts'

/** Readings of at least this confidence are kept at once; weaker ones when a second writer states the same. Statements are kept at any. */
export const confidenceKeptMin = 0.65
/** Below this a candidate is dropped and counted. */
export const confidenceBufferedMin = 0.45

/** One content of a claim with its assertions. */
export type RankedContent = {
  readonly contentKey: string
  readonly entryId: string | null
  /** Its highest-ranked assertion of at least its class: the content is ranked and shown by it. */
  readonly best: Assertion
  /** Its class; `verified` while an operator has pinned it. */
  readonly trust: Trust
  readonly supporters: readonly Assertion[]
  /** Whether the content is remembered; otherwise it is buffered. */
  readonly isKept: boolean
}

/** The contents of a claim in their order, and which of them is the winner. */
export type ClaimRanking = {
  /** Highest rank first. */
  readonly contents: readonly RankedContent[]
  readonly winner: RankedContent | null
  /** Not pinned, and another content has the same priority as the winner. */
  readonly isContested: boolean
}

/** What decides a claim besides its assertions. */
export type TrustRules = {
  /** A content below this class cannot win against one of a higher class. */
  readonly floorWin: Trust
  readonly lines: CredentialLines
}

/** The rules of a claim whose assertions all have the same class: neither the floor nor the credentials matter. */
export const plainTrustRules: TrustRules = { floorWin: defaultTrust, lines: new Map() }

/**
 * Resolves a claim: ranks its contents and chooses the winner. It is a pure function of the set of assertions, the pin and the rules. The
 * order is the class, as far as it is below the floor, then priority, then the later observation, then the higher confidence, then
 * service, event, candidate and content. It is a total order, so the result does not depend on the order of arrival.
 */
export function resolveClaim(
  assertions: readonly Assertion[],
  pin: Pin | null,
  rules: TrustRules = plainTrustRules,
): ClaimRanking {
  const byContent = new Map<string, Assertion[]>()
  const containedOf = new Map<string, Assertion[]>()
  const withdrawn: Assertion[] = []
  for (const assertion of assertions) {
    if (isWithdrawn(assertion)) {
      if (!isContained(assertion)) withdrawn.push(assertion)
      continue
    }
    const group = isContained(assertion) ? containedOf : byContent
    const others = group.get(assertion.contentKey)
    if (others) others.push(assertion)
    else group.set(assertion.contentKey, [assertion])
  }
  const ended = Map.groupBy(withdrawn, ({ contentKey }) => contentKey)
  const pinnedKey = pin === null || pin.containedBy !== undefined ? null : pin.contentKey
  const contents = [...byContent]
    .map(([key, supporters]) => {
      const others = { withdrawn: ended.get(key) ?? [], contained: containedOf.get(key) ?? [] }
      return rankContent(supporters, others, key === pinnedKey, rules)
    })
    .sort((a, b) => tierOf(b, rules) - tierOf(a, rules) || byRank(a.best, b.best))
  const kept = contents.filter(({ isKept }) => isKept)
  const [first, second] = kept
  const isRanked =
    first === undefined ||
    second === undefined ||
    tierOf(first, rules) > tierOf(second, rules) ||
    byRank(first.best, second.best) < 0
  invariant(isRanked, 'the rank of contents is a total order: a claim has one winner, whatever the order of arrival')
  const pinned = pinnedKey === null ? undefined : kept.find(({ contentKey }) => contentKey === pinnedKey)
  const winner = pinned ?? first ?? null
  const isRival = (content: RankedContent) =>
    winner !== null &&
    content.best.priority === winner.best.priority &&
    tierOf(content, rules) === tierOf(winner, rules)
  const isContested = pinned === undefined && kept.filter(isRival).length > 1
  return { contents, winner, isContested }
}

/** Contents below the floor are ranked by class first; all others have the same tier. */
function tierOf({ trust }: RankedContent, { floorWin }: TrustRules): number {
  return isBelow(trust, floorWin) ? trustRank(trust) : trustRank('verified')
}

function rankContent(
  supporters: readonly Assertion[],
  { withdrawn, contained }: { readonly withdrawn: readonly Assertion[]; readonly contained: readonly Assertion[] },
  isPinned: boolean,
  { lines }: TrustRules,
): RankedContent {
  const stated = contentTrust(supporters, lines, withdrawn)
  // An assertion below the class of the content does not rank it: otherwise an untrusted source could give it a priority.
  // What an operator has verified is accepted as it was stated.
  const ranking = stated === 'verified' ? supporters : supporters.filter(({ trust }) => !isBelow(trust, stated))
  const [first, ...rest] = [...ranking].sort(byRank)
  const best = first as Assertion
  const isSure = supporters.some(({ confidence }) => confidence >= confidenceKeptMin)
  // One entry for each content: also that of a contained assertion.
  const entryId = [best, ...rest, ...supporters, ...contained].find((item) => item.entryId !== null)?.entryId ?? null
  // A content that has an entry was kept before, and stays kept; unless it was kept only because of a contained assertion.
  const containedFrom = contained.reduce((first, { recordedPosition }) => Math.min(first, recordedPosition), Infinity)
  const wasKept = supporters.some((item) => item.entryId !== null && item.recordedPosition < containedFrom)
  const isKept = isSure || countWriters(supporters) >= 2 || wasKept || supporters.some((item) => item.isKeptAlone)
  const trust = isPinned ? 'verified' : stated
  return { contentKey: best.contentKey, entryId, best, trust, supporters, isKept }
}

/** Compares two assertions: the higher rank first. */
export function byRank(a: Assertion, b: Assertion): number {
  return (
    b.priority - a.priority ||
    b.observedAt - a.observedAt ||
    b.confidence - a.confidence ||
    compare(a.service ?? '', b.service ?? '') ||
    compare(a.eventId ?? a.sourceEventId, b.eventId ?? b.sourceEventId) ||
    a.candidate - b.candidate ||
    compare(a.contentKey, b.contentKey)
  )
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

type Stated = Pick<Assertion, 'service' | 'actor'>

/** The writer of an assertion: its source service; without one, the actor of the call. Repeated assertions have the same writer. */
function writerOf({ service, actor }: Stated): string {
  return service === null ? `actor ${actor ?? ''}` : `service ${service}`
}

/** The number of different writers that stated a content. */
export function countWriters(supporters: readonly Stated[]): number {
  return new Set(supporters.map(writerOf)).size
}

/** The confidence in a content: 1 minus the product of (1 - confidence) over its writers. It grows with every writer that agrees. */
export function shownConfidence(supporters: readonly (Stated & Pick<Assertion, 'confidence'>)[]): number {
  const byWriter = new Map<string, number>()
  for (const supporter of supporters) {
    const writer = writerOf(supporter)
    byWriter.set(writer, Math.max(byWriter.get(writer) ?? 0, supporter.confidence))
  }
  // Sorted, so that the floating-point result does not depend on the order of arrival.
  const uncertainty = [...byWriter.values()]
    .sort((a, b) => a - b)
    .reduce((left, confidence) => left * (1 - confidence), 1)
  return Math.round((1 - uncertainty) * 1_000) / 1_000
}
