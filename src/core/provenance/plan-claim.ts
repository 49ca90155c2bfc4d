import type { NewEntry, Revision } from '../commit/batch.ts'
import { invariant } from '../invariant.ts'
import { type Assertion, isWithdrawn } from './claim.ts'
import type { ClaimChange, ClaimIdentity, ClaimPlan, ClaimState, Ids, NewAssertion } from './claim-plan.ts'
import { PlanBuilder } from './claim-plan-builder.ts'
import type { Repricing } from './claim-step.ts'
import { decidedOf } from './decided.ts'
import { plainTrustRules, resolveClaim } from './resolve-conflict.ts'

/**
 * Decides a change of a claim: which content wins now, and which entry begins, ends or is revived. Pure: the same state and change give
 * the same plan. The plan is refused unless the claim and the entries still have the revision and versions it was made from.
 */
export function planClaim(identity: ClaimIdentity, state: ClaimState, change: ClaimChange, ids: Ids): ClaimPlan {
  const { added = [], withdrawn, replaced, repriced = [], origins } = change
  const pin = change.pin === undefined ? (state.claim?.pin ?? null) : change.pin
  const ending = withdrawn ?? replaced
  const removed = ending === undefined ? null : entryContentKey(state.assertions, ending.entryId)
  const kept = state.assertions
    // A withdrawn assertion no longer counts for its content, but a content that was untrusted stays so.
    .map((item) => (item.contentKey === removed ? withdrawnNow(item) : item))
    .map((item) => withPriority(item, repriced))
  // Not Math.max(...ordinals): a claim can have more assertions than a call can have arguments.
  const nextOrdinal = state.assertions.reduce((max, { ordinal }) => Math.max(max, ordinal), -1) + 1
  const fresh = added.map((assertion, index) => toAssertion(identity, assertion, nextOrdinal + index))
  const rules = state.rules ?? plainTrustRules
  const ranking = resolveClaim([...kept, ...fresh], pin, rules)
  const plan = new PlanBuilder(identity, state, added, fresh, ids, origins ?? new Map(), replaced)
  for (const content of ranking.contents) plan.settle(content, content === ranking.winner)
  if (withdrawn !== undefined) plan.remove(withdrawn)
  const winner = ranking.winner === null ? null : plan.entryOf(ranking.winner)
  const current = [...plan.puts, ...plan.revisions].filter(({ endsAtOnce }) => endsAtOnce === undefined)
  invariant(current.length <= 1, 'a claim has one winner: at most one of its entries becomes current')
  const isBeginning = (item: NewEntry | Revision) => !('revives' in item) || item.revives || replaced !== undefined
  const superseded = plan.ends.filter(({ reason }) => reason === 'superseded')
  const { claimId, subject, category, claimKey } = identity
  return {
    step: {
      expects: state.claim?.revision ?? 0,
      claim: { claimId, subject, category, claimKey, winner, isContested: ranking.isContested, pin },
      before: state.assertions,
      assertions: plan.assertions,
      withdrawn: removed === null ? [] : [removed],
      repriced,
      ...(plan.attached.length === 0 ? {} : { attached: plan.attached }),
    },
    puts: plan.puts,
    revisions: plan.revisions,
    ends: plan.ends,
    expects: plan.expects,
    created: plan.puts.filter(({ endsAtOnce }) => endsAtOnce === undefined).length,
    superseded: superseded.length,
    decided: decidedOf(fresh, {
      ranking,
      pin,
      rules,
      entryOf: (content) => plan.entryOf(content),
      // A live entry whose class or mark changes was current before.
      current: new Set(current.filter(isBeginning).map(({ entryId }) => entryId)),
      superseded: superseded[0]?.entryId,
    }),
  }
}

/** The assertion with the new priority of its service, if it gets one. */
export function withPriority(item: Assertion, repriced: readonly Repricing[]): Assertion {
  const price = repriced.find(({ service }) => service === item.service)
  return price === undefined ? item : { ...item, priority: price.priority }
}

/** The current content of an entry. The content before an edit is withdrawn. */
export function entryContentKey(assertions: readonly Assertion[], entryId: string): string | null {
  const own = assertions.find((item) => item.entryId === entryId && !isWithdrawn(item))
  return own?.contentKey ?? null
}

function toAssertion(identity: ClaimIdentity, assertion: NewAssertion, ordinal: number): Assertion {
  const { origin: _origin, tags: _tags, expiresAt: _end, sessionId: _session, readers: _readers, ...facts } = assertion
  return {
    ...facts,
    claimId: identity.claimId,
    ordinal,
    entryId: null,
    // Not known before the commit: after everything that is stored.
    recordedPosition: Number.MAX_SAFE_INTEGER,
    withdrawnPosition: null,
    seal: '',
  }
}

/** Why an entry ends that a person rejected while it was in quarantine. */
export const rejectedReason = 'rejected'

function withdrawnNow(item: Assertion): Assertion {
  return { ...item, withdrawnPosition: item.withdrawnPosition ?? 0, withdrawalContainedBy: null }
}
