import { setTimeout as delay } from 'node:timers/promises'
import type { AuditRow } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'
import type { Settled } from '../sql/group-commit.ts'
import { CommitUnknown, isConnectionLoss, isTransient, toStorageError } from './errors.ts'
import type { SealedGroup } from './seal-group.ts'

/** A commit whose answer got lost, and the record by which it is recognised if it took effect after all. */
export class InDoubt extends Error {
  readonly settled: readonly Settled[]
  readonly lastRecord: AuditRow | null

  constructor({ settled, sealed }: SealedGroup, cause: unknown) {
    super('It is not known whether the commit took effect.', { cause })
    this.settled = settled
    this.lastRecord = sealed.findLast((batch) => batch.audit)?.audit ?? null
  }
}

/** Runs it again after a deadlock, a lost connection or a lost answer; every try is told of all that were lost before it. */
export async function withRetries<T>(work: (doubts: readonly InDoubt[]) => Promise<T>): Promise<T> {
  const doubts: InDoubt[] = []
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(doubts)
    } catch (error) {
      if (error instanceof InDoubt) doubts.push(error)
      const mayRetry =
        error instanceof InDoubt ? error.lastRecord !== null : isTransient(error) || isConnectionLoss(error)
      if (attempt >= limits.commitAttemptsMax || !mayRetry) throw doubts.at(-1) ?? error
      await delay(attempt * attempt * 10 * (0.5 + Math.random()))
    }
  }
}

export function toCallerError(error: unknown): unknown {
  return toStorageError(error instanceof InDoubt ? error.cause : error)
}

/** What becomes of an error while the commit itself is under way. */
export function doubtful(error: unknown, group: SealedGroup): unknown {
  if (error instanceof CommitUnknown) return new InDoubt(group, error.cause)
  return error
}
