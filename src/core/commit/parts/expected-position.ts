import { ColophonError } from '../../errors.ts'
import type { Clock } from '../batch.ts'
import type { BatchPart } from './part.ts'

export type ExpectedPositionMembers = {
  /** The position that the change was decided on: it is refused if the tenant has another one. Null for changes that expect none. */
  readonly expectsPosition: number | null
}

/** A change that is decided on everything that is stored: no other write may come between. */
export const expectedPosition: BatchPart<ExpectedPositionMembers, object, { readonly clock: Clock }> = {
  members: ['expectsPosition'],
  none: { expectsPosition: null },
  noRows: {},
  check({ expectsPosition }, { clock }) {
    if (expectsPosition === null || expectsPosition === clock.position) return
    throw new ColophonError('version_conflict', 'Another write came first.', {
      details: { expected: expectsPosition, actual: clock.position },
    })
  },
}
