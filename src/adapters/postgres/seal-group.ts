import type { Batch, Clock, Sealed } from '../../core/commit/batch.ts'
import { toCommitted, toRepeated } from '../../core/commit/batch.ts'
import { repeatedOutcome, type StoredOutcome, tombstoneAt } from '../../core/commit/idempotency.ts'
import type { PartState } from '../../core/commit/parts/index.ts'
import { sealBatch } from '../../core/commit/seal.ts'
import { isColophonError } from '../../core/errors.ts'
import { invariant } from '../../core/invariant.ts'
import type { Redacted } from '../../core/redaction/redaction.ts'
import type { Settled } from '../sql/group-commit.ts'
import { type PartsLoaded, partState, postgresParts } from './parts/index.ts'
import type { Group } from './parts/part.ts'

/** What the lock showed, and what earlier batches of the same group have added to it since. */
export type GroupState = {
  clock: Clock
  readonly outcomes: Map<string, StoredOutcome>
  readonly loaded: PartsLoaded
}

export type NewOutcome = { readonly key: string; readonly tombstone: string; readonly stored: StoredOutcome }

/** A group decided as a whole: how each batch ends, and the rows that all of them add up to. */
export type SealedGroup = {
  readonly settled: readonly Settled[]
  readonly sealed: readonly Sealed[]
  readonly outcomes: readonly NewOutcome[]
}

/** Seals one batch after the other, each on top of what those before it will have done. Nothing is written yet. */
export function sealGroup(batches: Group, state: GroupState, at: number): SealedGroup {
  const sealed: Sealed[] = []
  const outcomes: NewOutcome[] = []
  const parts = partState(state.loaded)
  const settled = batches.map((batch): Settled => {
    try {
      const first = repeatedOutcome(batch.idempotency, (key) => state.outcomes.get(key), at)
      if (first) return { status: 'fulfilled', value: toRepeated(first) }
      const next = sealNext(batch, parts, state, at)
      sealed.push(next)
      if (batch.idempotency) {
        const stored = { digest: batch.idempotency.digest, outcome: next.outcome, createdAt: at }
        state.outcomes.set(batch.idempotency.key, stored)
        outcomes.push({ ...batch.idempotency, stored })
      }
      return { status: 'fulfilled', value: toCommitted(next) }
    } catch (error) {
      if (isColophonError(error)) return { status: 'rejected', reason: error }
      throw error
    }
  })
  return { settled, sealed, outcomes }
}

/** Seals a batch and notes in the state what it changes. */
function sealNext(batch: Redacted<Batch>, parts: PartState, state: GroupState, at: number): Sealed {
  const next = sealBatch(batch, Object.assign(parts, { clock: state.clock }), at)
  invariant(next.moved === next.clock.position > state.clock.position, 'a batch without a change takes no position')
  invariant(next.clock.redactionVersion >= state.clock.redactionVersion, 'the redaction version only grows')
  state.clock = next.clock
  for (const part of postgresParts) part.after?.(state.loaded, next)
  for (const { key, tombstone } of next.forgetting.outcomes) {
    state.outcomes.delete(key)
    if (tombstone !== null) state.outcomes.set(tombstone, tombstoneAt(at))
  }
  return next
}
