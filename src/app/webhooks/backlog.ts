import { limits } from '../../core/limits.ts'

type Room = { left: number; readonly until: number }

/**
 * How many more deliveries may wait for each webhook. Counted in the database at most once a second for each, so that a
 * step of a run rarely asks; other processes may meanwhile add as many again.
 */
export class WebhookBacklog {
  readonly #max: number
  readonly #rooms = new Map<string, Room>()

  constructor(max: number = limits.webhookDeliveriesWaitingMax) {
    this.#max = max
  }

  /** Takes room for up to `wanted` deliveries to each webhook, and says for how many there was. */
  async reserve(
    wanted: ReadonlyMap<string, number>,
    now: number,
    count: (webhookIds: readonly string[], countMax: number) => Promise<ReadonlyMap<string, number>>,
  ): Promise<Map<string, number>> {
    const unknown = [...wanted.keys()].filter((webhookId) => (this.#rooms.get(webhookId)?.until ?? 0) <= now)
    if (unknown.length > 0) {
      const waiting = await count(unknown, this.#max)
      if (this.#rooms.size + unknown.length > limits.webhookFailuresKept) this.#rooms.clear()
      for (const webhookId of unknown) {
        const left = Math.max(this.#max - (waiting.get(webhookId) ?? 0), 0)
        this.#rooms.set(webhookId, { left, until: now + limits.webhookBacklogKnownMs })
      }
    }
    return new Map([...wanted].map(([webhookId, many]) => [webhookId, this.#takeOf(webhookId, many)]))
  }

  #takeOf(webhookId: string, wanted: number): number {
    const room = this.#rooms.get(webhookId)
    const taken = Math.min(room?.left ?? 0, wanted)
    if (room) room.left -= taken
    return taken
  }
}
