import { toInstant } from '../../core/check.ts'
import { isBelow, type Trust } from '../../core/entries/trust.ts'
import { limits } from '../../core/limits.ts'
import type { Assertion, ClaimRecord, Pin } from '../../core/provenance/claim.ts'
import {
  type Comparison,
  compareContents,
  type DecidingRule,
  headlineOf,
  headlineWithoutRival,
  type RuleResult,
  reasonOf,
  sourceOf,
  withoutFullStop,
} from '../../core/provenance/explain-resolution.ts'
import {
  countWriters,
  type RankedContent,
  resolveClaim,
  shownConfidence,
} from '../../core/provenance/resolve-conflict.ts'
import { withoutContainments } from '../../core/provenance/state-at.ts'
import { trustFloorOf } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { readableContents } from './readable-claims.ts'
import { trustRulesFor } from './trust-rules.ts'

/** What decided about the content of an entry, and the contents of its claim that it was compared with. */
export type ClaimResolution = {
  readonly claimId: string
  readonly claimKey: string | null
  readonly isCurrent: boolean
  readonly isContested: boolean
  /** The rule that decided; null when there is no rival, or when it is no longer known. */
  readonly rule: DecidingRule | null
  readonly rules: readonly RuleResult[]
  readonly headline: string
  readonly own: DecidedContent
  /** The content that it is compared with: of a winner the best loser, of a loser the winner. */
  readonly rival: DecidedContent | null
  /** The contents that lost, best first; at most `resolutionLosersMax`. */
  readonly losers: readonly DecidedContent[]
  readonly loserCount: number
  readonly pin: { readonly actor: string; readonly reason: string; readonly at: string } | null
}

export type DecidedContent = {
  readonly memoryId: string | null
  readonly content: string
  /** The source service; without one, the actor. */
  readonly source: string
  readonly eventId: string | null
  readonly sourceEventId: string | null
  readonly priority: number
  readonly observedAt: string
  readonly confidence: number
  readonly trust: Trust
  /** Its class is below the tenant's floor: no model should read it unless it asks for that. */
  readonly quarantined?: true
  readonly writers: number
}

type ResolutionQuery = {
  readonly claimId: string
  readonly assertions: readonly Assertion[]
  readonly contentKey: string | undefined
  readonly isCurrent: boolean
  /** The position of the assertions; null for the newest. */
  readonly moment: number | null
}

/**
 * The decision about one content of a claim, for the reader of the handle. Null when the reader cannot see it. A decision of the past is
 * computed from the assertions of that position; if it does not give the winner of that time, what decided is no longer known.
 */
export async function resolutionOf(
  tenant: Tenant,
  query: ResolutionQuery,
): Promise<(ClaimResolution & ResolutionParts) | null> {
  const { claimId, assertions, contentKey, isCurrent, moment } = query
  const claim = await tenant.storage.provenance.claim(tenant.id, claimId)
  if (claim === null) return null
  const rules = await trustRulesFor(tenant, assertions)
  const states = moment === null ? [{ assertions, pin: claim.pin }] : await pastStates(tenant, claim, query, moment)
  const rankings = states.map((state) => ({ ...state, ...resolveClaim(state.assertions, state.pin, rules) }))
  const isAsStored = (ranking: (typeof rankings)[number]) => (ranking.winner?.contentKey === contentKey) === isCurrent
  const ranking = moment === null ? rankings[0] : (rankings.find(isAsStored) ?? rankings[0])
  if (ranking === undefined) return null
  const { pin } = ranking
  const readable = await readableContents(tenant, ranking.contents)
  const contents = tenant.reader === null ? readable : readable.map(withoutEvent)
  // What decided between a content and one that the reader cannot see is not shown.
  const winner = contents.find(({ contentKey: key }) => key === ranking.winner?.contentKey) ?? null
  if (winner === null && ranking.winner !== null) return null
  const own = contents.find((content) => content.contentKey === contentKey)
  if (own === undefined) return null
  const losers = contents.filter((content) => content !== winner && content.isKept)
  const rival = own === winner ? losers[0] : (winner ?? undefined)
  const isContested = ranking.isContested && contents.length === ranking.contents.length
  const isKnown = moment === null || isAsStored(ranking)
  const floor = await trustFloorOf(tenant)
  const comparison =
    isKnown && rival && winner ? compareContents(winner, winner === own ? rival : own, pin, rules.floorWin) : null
  return {
    claimId,
    claimKey: claim.claimKey,
    isCurrent,
    isContested,
    rule: comparison?.rule ?? (isKnown && pin !== null && own === winner ? 'pin' : null),
    rules: comparison?.rules ?? [],
    headline: headline({ own, winner, pin, comparison, isCurrent, isKnown, isContested }),
    own: toDecided(own, floor),
    rival: rival === undefined ? null : toDecided(rival, floor),
    losers: losers.slice(0, limits.resolutionLosersMax).map((loser) => toDecided(loser, floor)),
    loserCount: losers.length,
    pin: pin && { actor: pin.actor, reason: pin.reason, at: toInstant(pin.at) },
    parts: {
      claim,
      comparison,
      isWinner: own === winner,
      others: contents.filter((item) => item !== own && item.isKept),
    },
  }
}

/** What the step of a story is made of. */
export type ResolutionParts = {
  readonly parts: {
    readonly claim: ClaimRecord
    readonly comparison: Comparison | null
    readonly isWinner: boolean
    readonly others: readonly RankedContent[]
  }
}

type State = { readonly assertions: readonly Assertion[]; readonly pin: Pin | null }

/** What a claim may have been at a position: a pin or a containment may have been added or removed since. */
async function pastStates(
  tenant: Tenant,
  { pin }: ClaimRecord,
  { assertions }: ResolutionQuery,
  moment: number,
): Promise<readonly State[]> {
  const instant = (await tenant.storage.provenance.instants(tenant.id, [moment])).get(moment) ?? 0
  const free = withoutContainments(assertions)
  const then = pin !== null && pin.at <= instant ? pin : null
  const states: State[] = [
    { assertions, pin: then },
    { assertions: free, pin: then },
  ]
  return then === null ? states : [...states, { assertions, pin: null }, { assertions: free, pin: null }]
}

type HeadlineFacts = {
  readonly own: RankedContent
  readonly winner: RankedContent | null
  readonly pin: Pin | null
  readonly comparison: Comparison | null
  readonly isCurrent: boolean
  readonly isContested: boolean
  readonly isKnown: boolean
}

function headline({ own, winner, pin, comparison, isCurrent, isContested, isKnown }: HeadlineFacts): string {
  if (!isKnown)
    return `${isCurrent ? 'Current' : 'Superseded'} at that time. What decided is no longer known: a pin or a priority has changed since.`
  if (comparison !== null) return headlineOf(comparison, own === winner, isContested)
  if (own !== winner) return 'Superseded by another content.'
  if (pin !== null) return `Current because ${pin.actor} pinned it: ${withoutFullStop(pin.reason)}.`
  return headlineWithoutRival(own, countWriters(own.supporters))
}

/** Why the content won or lost, in a few words; empty when there is nothing to compare it with. */
export function reasonText({ parts: { claim, comparison } }: ResolutionParts): string {
  if (comparison !== null) return reasonOf(comparison)
  return claim.pin ? `${claim.pin.actor} decided: ${withoutFullStop(claim.pin.reason)}` : ''
}

/** The content without the event that stated it, which can be hidden from the reader. */
function withoutEvent(content: RankedContent): RankedContent {
  return { ...content, best: { ...content.best, actor: null, eventId: null, sourceEventId: '' } }
}

function toDecided(content: RankedContent, floor: Trust): DecidedContent {
  const { best, entryId, supporters, trust } = content
  return {
    memoryId: entryId,
    content: best.content,
    source: sourceOf(content),
    eventId: best.eventId,
    sourceEventId: best.sourceEventId === '' ? null : best.sourceEventId,
    priority: best.priority,
    observedAt: toInstant(best.observedAt),
    confidence: shownConfidence(supporters),
    trust,
    ...(isBelow(trust, floor) ? { quarantined: true } : {}),
    writers: countWriters(supporters),
  }
}
