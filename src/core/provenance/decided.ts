import { type Assertion, isContained, type Pin } from './claim.ts'
import { compareContents, type DecidingRule } from './explain-resolution.ts'
import type { ClaimRanking, RankedContent, TrustRules } from './resolve-conflict.ts'

/**
 * What became of a candidate: its content is the winner now, or lost; it was the winner already; it waits for a second writer; or a
 * containment covers it.
 */
export const decidedOutcomes = ['current', 'overruled', 'confirmed', 'buffered', 'contained'] as const
export type DecidedOutcome = (typeof decidedOutcomes)[number]

/** What a claim decided about one candidate, in ids and figures only: the result of a job keeps it. */
export type Decided = {
  /** Its number among the candidates of its source event. */
  readonly candidate: number
  readonly outcome: DecidedOutcome
  /** The memory with its content; null while it has none. */
  readonly memoryId: string | null
  /** Of a current one: the memory that it superseded. */
  readonly over?: string
  /** Of an overruled one: the winner. */
  readonly by?: string
  /** What decided between the two. */
  readonly rule?: DecidingRule
  /** What the rule compared, of the winner and of the loser. Left out where it names writers. */
  readonly won?: string
  readonly lost?: string
}

type Decision = {
  readonly ranking: ClaimRanking
  readonly pin: Pin | null
  readonly rules: TrustRules
  readonly entryOf: (content: RankedContent) => string | null
  /** Entries that are current since this decision, and that which was superseded by it. */
  readonly current: ReadonlySet<string>
  readonly superseded: string | undefined
}

/** What a decision says about each of the assertions that it was made for. */
export function decidedOf(fresh: readonly Assertion[], decision: Decision): readonly Decided[] {
  const byKey = new Map(decision.ranking.contents.map((content) => [content.contentKey, content]))
  return fresh.map((assertion) => {
    const { candidate } = assertion
    const content = isContained(assertion) ? undefined : byKey.get(assertion.contentKey)
    if (content === undefined) return { candidate, outcome: 'contained', memoryId: null }
    return { candidate, ...outcomeOf(content, decision) }
  })
}

function outcomeOf(content: RankedContent, decision: Decision): Omit<Decided, 'candidate'> {
  const { ranking, entryOf, current, superseded } = decision
  const { winner, contents } = ranking
  if (!content.isKept || winner === null) return { outcome: 'buffered', memoryId: null }
  const memoryId = entryOf(content)
  if (content !== winner) {
    const by = entryOf(winner)
    return { outcome: 'overruled', memoryId, ...(by === null ? {} : { by }), ...reasonOf(content, decision) }
  }
  if (memoryId === null || !current.has(memoryId)) return { outcome: 'confirmed', memoryId }
  const former = contents.find((other) => superseded !== undefined && entryOf(other) === superseded)
  if (superseded === undefined || former === undefined) return { outcome: 'current', memoryId }
  return { outcome: 'current', memoryId, over: superseded, ...reasonOf(former, decision) }
}

/** Which rule decided between the winner and a content, and what it compared. */
function reasonOf(loser: RankedContent, { ranking: { winner }, pin, rules }: Decision) {
  if (winner === null) return {}
  const { rule, rules: compared } = compareContents(winner, loser, pin, rules.floorWin)
  // The last rule compares names of writers, which not every reader of the job may see.
  const seen = rule === 'order' || rule === 'pin' ? undefined : compared.find((item) => item.rule === rule)
  return { rule, ...(seen && { won: seen.winner, lost: seen.loser }) }
}

/** Why no candidate of a source event was kept. */
export type EmptyReason = 'no_user_message' | 'nothing_found' | 'low_confidence' | 'forgotten'
