import type { TriggerRule } from './definition.ts'

/**
 * What the incoming edges of a node say about it. An edge is *ended* when its source has ended, and *open* when it is
 * ended and its condition, if it has one, holds. Per trigger rule the node starts:
 *
 * - `all_success` (the default): when all are ended, if no source failed and an open edge comes from a success. An edge
 *   that is not open and a source that was skipped do not count, so two branches of which one is taken can meet again.
 * - `any_success`: as soon as one open edge comes from a success, whatever the others do.
 * - `all_complete`: when all are ended, however they ended (a skipped source counts), if one is open.
 * - `none_failed`: like all_complete, if no source failed; so it also starts when every source was skipped.
 * - `any_failed`: as soon as one open edge comes from a failure.
 *
 * A rule that can no longer come true skips the node. When the incoming edges of one node have different rules, each
 * rule looks at its own edges, and all of them must come true.
 */
export type Verdict = 'start' | 'undecided' | SkipReason

export type SkipReason = 'disabled' | 'condition' | 'upstream_failed' | 'upstream_skipped' | 'nothing_failed'

/** How a source ended, for its followers. A cancelled one counts as failed. */
export type Outcome = 'success' | 'failed' | 'skipped'

/** The incoming edges of one rule. `isOpen` is asked only when the answer counts, because conditions cost time. */
export type IncomingEdge = { readonly outcome: Outcome | undefined; readonly isOpen: () => boolean }

export function applyRule(rule: TriggerRule, edges: readonly IncomingEdge[]): Verdict {
  const wanted = outcomesThatStart[rule]
  const mustAllEnd = rule !== 'any_success' && rule !== 'any_failed'
  const isAllEnded = edges.every((edge) => edge.outcome !== undefined)
  if (mustAllEnd && !isAllEnded) return 'undecided'
  const hasFailure = edges.some((edge) => edge.outcome === 'failed')
  if (hasFailure && (rule === 'all_success' || rule === 'none_failed')) return 'upstream_failed'
  const fitting = edges.filter(({ outcome }) => outcome !== undefined && wanted.includes(outcome))
  if (fitting.some((edge) => edge.isOpen())) return 'start'
  if (!isAllEnded) return 'undecided'
  if (fitting.length > 0) return 'condition'
  if (rule === 'any_failed') return 'nothing_failed'
  return hasFailure ? 'upstream_failed' : 'upstream_skipped'
}

const outcomesThatStart: Readonly<Record<TriggerRule, readonly Outcome[]>> = {
  all_success: ['success'],
  any_success: ['success'],
  all_complete: ['success', 'failed', 'skipped'],
  none_failed: ['success', 'skipped'],
  any_failed: ['failed'],
}

export function combineVerdicts(verdicts: readonly Verdict[]): Verdict {
  const skip = verdicts.find((verdict) => verdict !== 'start' && verdict !== 'undecided')
  return skip ?? (verdicts.includes('undecided') ? 'undecided' : 'start')
}
