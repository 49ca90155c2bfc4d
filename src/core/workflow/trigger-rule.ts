import type { TriggerRule } from './definition.ts'

/**
 * The decision about a node, from its incoming edges. An edge is *ended* when its source has ended. It is *open* when it is ended and its
 * condition, if it has one, is true. Per trigger rule the node starts:
 *
 * - `all_success` (the default): when all are ended, if no source failed and an open edge comes from a success. An edge that is not open
 *   and a source that was skipped do not count, so that two branches, of which one is taken, can join again.
 * - `any_success`: as soon as one open edge comes from a success, whatever the others do.
 * - `all_complete`: when all are ended, however they ended (a skipped source counts), if one is open.
 * - `none_failed`: like all_complete, if no source failed; so it also starts when every source was skipped.
 * - `any_failed`: as soon as one open edge comes from a failure.
 *
 * If a rule can no longer be met, the node is skipped. When the incoming edges of a node have different rules, each rule is applied to
 * its own edges, and all of them must be met.
 */
export type TriggerDecision = 'start' | 'undecided' | SkipReason

export type SkipReason = 'disabled' | 'condition' | 'upstream_failed' | 'upstream_skipped' | 'nothing_failed'

/** How a node ended, as the trigger rules see it. A cancelled node counts as failed. */
export type NodeOutcome = 'success' | 'failed' | 'skipped'

/** An incoming edge. `isOpen` is called only when it matters, because it evaluates the condition. */
export type IncomingEdge = { readonly outcome: NodeOutcome | undefined; readonly isOpen: () => boolean }

/** Applies one trigger rule to its edges. */
export function applyTriggerRule(rule: TriggerRule, edges: readonly IncomingEdge[]): TriggerDecision {
  const wanted = outcomesThatStart[rule]
  const mustAllEnd = rule !== 'any_success' && rule !== 'any_failed'
  const isAllEnded = edges.every((edge) => edge.outcome !== undefined)
  if (mustAllEnd && !isAllEnded) return 'undecided'
  const hasFailure = edges.some((edge) => edge.outcome === 'failed')
  if (hasFailure && (rule === 'all_success' || rule === 'none_failed')) return 'upstream_failed'
  const matching = edges.filter(({ outcome }) => outcome !== undefined && wanted.includes(outcome))
  if (matching.some((edge) => edge.isOpen())) return 'start'
  if (!isAllEnded) return 'undecided'
  if (matching.length > 0) return 'condition'
  if (rule === 'any_failed') return 'nothing_failed'
  return hasFailure ? 'upstream_failed' : 'upstream_skipped'
}

const outcomesThatStart: Readonly<Record<TriggerRule, readonly NodeOutcome[]>> = {
  all_success: ['success'],
  any_success: ['success'],
  all_complete: ['success', 'failed', 'skipped'],
  none_failed: ['success', 'skipped'],
  any_failed: ['failed'],
}

/** The decision of several rules together: a skip first, then undecided, then start. */
export function combineDecisions(decisions: readonly TriggerDecision[]): TriggerDecision {
  const skip = decisions.find((decision) => decision !== 'start' && decision !== 'undecided')
  return skip ?? (decisions.includes('undecided') ? 'undecided' : 'start')
}
