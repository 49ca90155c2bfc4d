import { invariant } from '../invariant.ts'
import type { Fence, NewFence } from './fence.ts'

/** The part of a batch that only a forget uses, except for the compactions: retention deletes distillations with their archives. */
export type Forgetting = {
  readonly fences?: readonly FenceChange[]
  readonly sources?: readonly SourceErasure[]
  /** Idempotency keys whose stored outcome names erased rows. */
  readonly outcomes?: readonly OutcomeErasure[]
  /** The new refs of audit records. They are not part of the chain. */
  readonly auditRefs?: readonly AuditRefs[]
  /** Compactions whose sources or output are erased: their lineage is erased too. */
  readonly compactions?: readonly string[]
  /** Spellings of people that are no longer stored, unless a later commit named them. */
  readonly spellings?: readonly SpellingErasure[]
}

/** Fences that a forget sets, or the removal of all its fences. */
export type FenceChange = {
  readonly forgetId: string
  readonly added: readonly NewFence[]
  readonly isRemoved: boolean
}

/** The erasure of a source event. Only its id, its service and its arrival time stay. */
export type SourceErasure = {
  readonly sourceEventId: string
  /** A keyed digest in place of the writer's event id: a retry is recognised, and the id cannot be recovered. */
  readonly tombstone: string
}

/** The erasure of an idempotency key. With a tombstone, a retry of its call is refused from then on. */
export type OutcomeErasure = { readonly key: string; readonly tombstone: string | null }

/** The erasure of a spelling that no commit has named after a position. */
export type SpellingErasure = { readonly spelling: string; readonly upTo: number }

/** The refs in clear beside one audit record. */
export type AuditRefs = { readonly position: number; readonly refs: readonly string[] }

export type SealedFenceChange = {
  readonly forgetId: string
  readonly added: readonly Fence[]
  readonly isRemoved: boolean
}

/** The part of a sealed batch that only a forget uses. */
export type SealedForgetting = Required<Omit<Forgetting, 'fences'>> & {
  readonly fences: readonly SealedFenceChange[]
  /** When its sources are erased: the instant of its record. */
  readonly at: number
}

const nothingForgotten: SealedForgetting = {
  fences: [],
  sources: [],
  outcomes: [],
  auditRefs: [],
  compactions: [],
  spellings: [],
  at: 0,
}

function sealFence(fence: NewFence, position: number): Fence {
  const sealed = { ...fence, position: fence.position ?? position }
  invariant(sealed.fromSequence <= sealed.toSequence, 'the sequences of a fence are in order')
  return sealed
}

/** Gives new fences the position of the commit. */
export function sealForgetting(forgetting: Forgetting | undefined, position: number, at: number): SealedForgetting {
  if (forgetting === undefined) return nothingForgotten
  const { fences = [], sources = [], outcomes = [], auditRefs = [], compactions = [], spellings = [] } = forgetting
  const sealed = fences.map(({ added, ...change }) => ({
    ...change,
    added: added.map((fence) => sealFence(fence, position)),
  }))
  return { fences: sealed, sources, outcomes, auditRefs, compactions, spellings, at }
}
