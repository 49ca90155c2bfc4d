import { limits } from '../../core/limits.ts'

type Backlog = { left: number; readonly until: number }

/**
 * The backlog of each webhook: how many more deliveries may wait. The database counts it at most once a second per webhook, so
 * a step of a run rarely queries it. Other processes may add as many deliveries in that second.
 */
export class WebhookBacklog {
  readonly #max: number
  readonly #backlogs = new Map<string, Backlog>()

  constructor(max: number = limits.webhookDeliveriesWaitingMax) {
    this.#max = max
  }

  /** Reserves up to `wanted` deliveries per webhook, and gives how many were free. */
  async reserve(
    wanted: ReadonlyMap<string, number>,
    now: number,
    count: (webhookIds: readonly string[], countMax: number) => Promise<ReadonlyMap<string, number>>,
  ): Promise<Map<string, number>> {
    const unknown = [...wanted.keys()].filter((webhookId) => (this.#backlogs.get(webhookId)?.until ?? 0) <= now)
    if (unknown.length > 0) {
      const waiting = await count(unknown, this.#max)
      if (this.#backlogs.size + unknown.length > limits.webhookFailuresKept) this.#backlogs.clear()
      for (const webhookId of unknown) {
        const left = Math.max(this.#max - (waiting.get(webhookId) ?? 0), 0)
        this.#backlogs.set(webhookId, { left, until: now + limits.webhookBacklogCacheMs })
      }
    }
    return new Map([...wanted].map(([webhookId, many]) => [webhookId, this.#reserveOf(webhookId, many)]))
  }

  #reserveOf(webhookId: string, wanted: number): number {
    const backlog = this.#backlogs.get(webhookId)
    const taken = Math.min(backlog?.left ?? 0, wanted)
    if (backlog) backlog.left -= taken
    return taken
  }
}
