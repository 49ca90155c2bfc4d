import type { Fence, NewFence } from './fence.ts'

/** The part of a batch that only forgetting has. */
export type Forgetting = {
  readonly fences?: readonly FenceChange[]
  readonly sources?: readonly SourceErasure[]
  /** Idempotency keys whose first answer named something that goes. */
  readonly outcomes?: readonly OutcomeErasure[]
  /** The refs of audit records as they are to be from now on; they are not part of the chain. */
  readonly auditRefs?: readonly AuditRefs[]
  /** Compactions whose sources or output go: what they were made of is not kept either. */
  readonly compactions?: readonly string[]
}

/** Lines that are put up, or all lines of a forget taken down. */
export type FenceChange = {
  readonly forgetId: string
  readonly added: readonly NewFence[]
  readonly isRemoved: boolean
}

/** A source event of which only its id, its service and when it came are left. */
export type SourceErasure = {
  readonly sourceEventId: string
  /** A keyed digest in place of the writer's event id: a retry is recognised, and nobody can read the id from it. */
  readonly tombstone: string
}

/** A key goes; with a tombstone, a retry of its call is refused from then on. */
export type OutcomeErasure = { readonly key: string; readonly tombstone: string | null }

export type AuditRefs = { readonly position: number; readonly refs: readonly string[] }

export type SealedFenceChange = {
  readonly forgetId: string
  readonly added: readonly Fence[]
  readonly isRemoved: boolean
}

export type SealedForgetting = Required<Omit<Forgetting, 'fences'>> & { readonly fences: readonly SealedFenceChange[] }

const nothingForgotten: SealedForgetting = {
  fences: [],
  sources: [],
  outcomes: [],
  auditRefs: [],
  compactions: [],
}

export function sealForgetting(forgetting: Forgetting | undefined, position: number): SealedForgetting {
  if (forgetting === undefined) return nothingForgotten
  const { fences = [], sources = [], outcomes = [], auditRefs = [], compactions = [] } = forgetting
  const sealed = fences.map(({ added, ...change }) => ({
    ...change,
    added: added.map((fence) => ({ ...fence, position: fence.position ?? position })),
  }))
  return { fences: sealed, sources, outcomes, auditRefs, compactions }
}
