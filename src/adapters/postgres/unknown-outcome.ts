import { setTimeout as delay } from 'node:timers/promises'
import type { AuditRow } from '../../core/commit/batch.ts'
import { limits } from '../../core/limits.ts'
import type { Settled } from '../sql/group-commit.ts'
import { CommitAnswerLost, isConnectionLoss, isTransient, toStorageError } from './errors.ts'
import type { SealedGroup } from './seal-group.ts'

/** A commit whose outcome is unknown, because the connection broke before the answer. The record shows whether it took effect. */
export class CommitOutcomeUnknown extends Error {
  readonly settled: readonly Settled[]
  readonly lastRecord: AuditRow | null

  constructor({ settled, sealed }: SealedGroup, cause: unknown) {
    super('It is not known whether the commit took effect.', { cause })
    this.settled = settled
    this.lastRecord = sealed.findLast((batch) => batch.audit)?.audit ?? null
  }
}

/** Runs it again after a deadlock, a lost connection or a lost answer. Every attempt gets the unknown outcomes of those before it. */
export async function withRetries<T>(
  work: (unknownOutcomes: readonly CommitOutcomeUnknown[]) => Promise<T>,
): Promise<T> {
  const unknownOutcomes: CommitOutcomeUnknown[] = []
  for (let attempt = 1; ; attempt++) {
    try {
      return await work(unknownOutcomes)
    } catch (error) {
      if (error instanceof CommitOutcomeUnknown) unknownOutcomes.push(error)
      const mayRetry =
        error instanceof CommitOutcomeUnknown
          ? error.lastRecord !== null
          : isTransient(error) || isConnectionLoss(error)
      if (attempt >= limits.commitAttemptsMax || !mayRetry) throw unknownOutcomes.at(-1) ?? error
      await delay(attempt * attempt * 10 * (0.5 + Math.random()))
    }
  }
}

export function toCallerError(error: unknown): unknown {
  return toStorageError(error instanceof CommitOutcomeUnknown ? error.cause : error)
}

/** Turns an error of the commit statement itself into an unknown outcome, if the answer got lost. */
export function toUnknownOutcome(error: unknown, group: SealedGroup): unknown {
  if (error instanceof CommitAnswerLost) return new CommitOutcomeUnknown(group, error.cause)
  return error
}
