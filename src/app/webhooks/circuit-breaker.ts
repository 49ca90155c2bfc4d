import { limits } from '../../core/limits.ts'

/** The circuit breakers of webhooks, in this process: after several failures in a row, deliveries to a receiver are delayed. */
export class WebhookCircuitBreaker {
  readonly #failures = new Map<string, { count: number; until: number }>()

  /** Counts the outcome of a delivery. A success closes the breaker. */
  note(webhookId: string, ok: boolean, now: number): void {
    if (ok) return void this.#failures.delete(webhookId)
    const count = (this.#failures.get(webhookId)?.count ?? 0) + 1
    const until = count >= limits.webhookFailuresMax ? now + limits.webhookPauseMs : 0
    if (this.#failures.size >= limits.webhookFailuresKept) this.#failures.clear()
    this.#failures.set(webhookId, { count, until })
  }

  /** Until when the breaker is open; null when it is closed. */
  openUntil(webhookId: string, now: number): number | null {
    const until = this.#failures.get(webhookId)?.until ?? 0
    return until > now ? until : null
  }
}
