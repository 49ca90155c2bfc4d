import { limits } from '../../core/limits.ts'

/** Remembers, in this process, which receivers do not answer, so that nobody keeps knocking. */
export class WebhookBreaker {
  readonly #failures = new Map<string, { count: number; until: number }>()

  note(webhookId: string, ok: boolean, now: number): void {
    if (ok) return void this.#failures.delete(webhookId)
    const count = (this.#failures.get(webhookId)?.count ?? 0) + 1
    const until = count >= limits.webhookFailuresMax ? now + limits.webhookRestMs : 0
    if (this.#failures.size >= limits.webhookFailuresKept) this.#failures.clear()
    this.#failures.set(webhookId, { count, until })
  }

  /** When the receiver may be tried again; null when at once. */
  openUntil(webhookId: string, now: number): number | null {
    const until = this.#failures.get(webhookId)?.until ?? 0
    return until > now ? until : null
  }
}
