import { Counters } from '../counters.ts'

/**
 * A part is a range that does not reach from the first record to the newest. A mismatch is a head that the log does not have: any caller can send
 * one that never was, so it says nothing about the log.
 */
type VerificationOutcome = 'valid' | 'fault' | 'part' | 'mismatch'

/** The verifications of audit logs in this process, for the metrics, which name no tenant. */
export class AuditVerifications {
  readonly outcomes = new Counters()
  readonly #beganAt: number
  readonly #validAt = new Map<string, number>()

  constructor(beganAt: number) {
    this.#beganAt = beganAt
  }

  add(tenantId: string, outcome: VerificationOutcome, at: number): void {
    this.outcomes.add(outcome, 1)
    if (outcome === 'valid') this.#validAt.set(tenantId, at)
    else if (outcome === 'fault') this.#validAt.delete(tenantId)
  }

  /**
   * Since when the log of a tenant is verified; null when this process has not verified it. The log of a tenant that was created after the
   * process began has nothing older than the tenant.
   */
  verifiedAt(tenantId: string, createdAt: number): number | null {
    return this.#validAt.get(tenantId) ?? (createdAt > this.#beganAt ? createdAt : null)
  }
}
