import { Counters } from '../counters.ts'

/**
 * A part is a range that does not reach from the first record to the newest. A mismatch is a head that the log does not have: any caller can send
 * one that never was, so it says nothing about the log.
 */
type VerificationOutcome = 'valid' | 'fault' | 'part' | 'mismatch'

/** The verifications of audit logs in this process, for the metrics. They name no tenant. */
export class AuditVerifications {
  readonly outcomes = new Counters()
  #validAt: number | null = null

  add(outcome: VerificationOutcome, at: number): void {
    this.outcomes.add(outcome, 1)
    if (outcome === 'valid') this.#validAt = at
  }

  /** When a whole log was last found valid; null before the first time. */
  get validAt(): number | null {
    return this.#validAt
  }
}
