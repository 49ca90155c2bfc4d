import { toInstant } from '../check.ts'
import { isBelow, type Trust } from '../entries/trust.ts'
import type { Pin } from './claim.ts'
import type { RankedContent } from './resolve-conflict.ts'

/** The rules that decide between two contents of a claim, in the order in which they are tried. */
export const decidingRules = ['pin', 'trust', 'priority', 'observed', 'confidence', 'order'] as const
export type DecidingRule = (typeof decidingRules)[number]

/** One rule, with what it saw on both sides. The first rule in which they differ decided; those after it were not needed. */
export type RuleResult = {
  readonly rule: DecidingRule
  readonly winner: string
  readonly loser: string
  readonly result: 'decided' | 'equal' | 'not needed'
}

export type Comparison = {
  readonly winner: RankedContent
  readonly loser: RankedContent
  readonly rule: DecidingRule
  readonly rules: readonly RuleResult[]
  readonly pin: Pin | null
  readonly floorWin: Trust
}

/** Compares the winner of a claim with another of its contents, rule by rule, as `resolveClaim` ranks them. */
export function compareContents(
  winner: RankedContent,
  loser: RankedContent,
  pin: Pin | null,
  floorWin: Trust,
): Comparison {
  const [won, lost] = [winner.best, loser.best]
  const isPinned = pin !== null && pin.containedBy === undefined && pin.contentKey === winner.contentKey
  const isTrustDecisive = isBelow(loser.trust, floorWin) && winner.trust !== loser.trust
  const seen: readonly (Omit<RuleResult, 'result'> & { readonly differs: boolean })[] = [
    { rule: 'pin', winner: isPinned ? 'pinned' : 'not pinned', loser: 'not pinned', differs: isPinned },
    { rule: 'trust', winner: winner.trust, loser: loser.trust, differs: isTrustDecisive },
    {
      rule: 'priority',
      winner: String(won.priority),
      loser: String(lost.priority),
      differs: won.priority !== lost.priority,
    },
    {
      rule: 'observed',
      winner: toInstant(won.observedAt),
      loser: toInstant(lost.observedAt),
      differs: won.observedAt !== lost.observedAt,
    },
    {
      rule: 'confidence',
      winner: String(won.confidence),
      loser: String(lost.confidence),
      differs: won.confidence !== lost.confidence,
    },
    { rule: 'order', winner: sourceOf(winner), loser: sourceOf(loser), differs: true },
  ]
  const at = seen.findIndex(({ differs }) => differs)
  const rules = seen.map(({ differs: _differs, ...rule }, index) => ({
    ...rule,
    result: index < at ? ('equal' as const) : index === at ? ('decided' as const) : ('not needed' as const),
  }))
  return { winner, loser, rule: rules[at]?.rule ?? 'order', rules, pin, floorWin }
}

/** Who stated a content: the source service of its best assertion; without one, the actor of the call. */
export function sourceOf({ best }: RankedContent): string {
  return best.service ?? best.actor ?? 'a client'
}

/** Why the first content won, in a few words. */
export function reasonOf({ winner, loser, rule, pin, floorWin }: Comparison): string {
  const [won, lost] = [winner.best, loser.best]
  switch (rule) {
    case 'pin':
      return `${pin?.actor} decided: ${withoutFullStop(pin?.reason ?? '')}`
    case 'trust':
      return `class ${winner.trust} over ${loser.trust}, which is below the floor ${floorWin}`
    case 'priority':
      return `priority ${won.priority} over ${lost.priority}`
    case 'observed':
      return `observed later (${toInstant(won.observedAt)})`
    case 'confidence':
      return `confidence ${won.confidence} over ${lost.confidence}`
    case 'order':
      return 'equal in priority, time and confidence; the order of service and event decided'
  }
}

/** Why a content is current or not, in one sentence. */
export function headlineOf(comparison: Comparison, isOwnWinner: boolean, isContested: boolean): string {
  const state = isOwnWinner ? (isContested ? 'Current, but contested,' : 'Current') : 'Superseded'
  return `${state} because ${becauseOf(comparison, isOwnWinner)}.`
}

function becauseOf({ winner, loser, rule, pin, floorWin }: Comparison, isOwnWinner: boolean): string {
  const [first, second] = namesOf(winner, loser)
  const [won, lost] = [winner.best, loser.best]
  switch (rule) {
    case 'pin':
      return `${pin?.actor} pinned ${isOwnWinner ? 'it' : 'another content'}: ${withoutFullStop(pin?.reason ?? '')}`
    case 'trust':
      return `${first} has the class ${winner.trust}, and ${second} (${loser.trust}) is below the floor ${floorWin}`
    case 'priority':
      return won.priority > lost.priority
        ? `${first} (${won.priority}) outranked ${second} (${lost.priority})`
        : `${first} (${won.priority}) won over ${second} (${lost.priority})`
    case 'observed':
      return `${first} observed it later (${shortInstant(won.observedAt)}) than ${second} (${shortInstant(lost.observedAt)}); both have priority ${won.priority}`
    case 'confidence':
      return `${first} is more confident (${won.confidence}) than ${second} (${lost.confidence}); priority and time are equal`
    case 'order':
      return `${first} comes before ${second} in order; priority, time and confidence are equal`
  }
}

function namesOf(winner: RankedContent, loser: RankedContent): readonly [string, string] {
  const [first, second] = [sourceOf(winner), sourceOf(loser)]
  return [first, first === second ? `another event of ${second}` : second]
}

/** The sentence of a content that has no rival. */
export function headlineWithoutRival(content: RankedContent, writers: number): string {
  if (writers > 1) return `Current because ${writers} writers state it, and no other content is known.`
  return `Current because ${sourceOf(content)} stated it, and no other content is known.`
}

/** A text of a person, to be followed by our full stop. */
export function withoutFullStop(text: string): string {
  return text.replace(/(?<![\s.])[\s.]+$/, '')
}

function shortInstant(at: number): string {
  return `${toInstant(at).slice(0, 16).replace('T', ' ')} UTC`
}
