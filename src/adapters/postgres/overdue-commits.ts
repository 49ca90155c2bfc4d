import type { PoolClient } from 'pg'
import { ColophonError } from '../../core/errors.ts'

/** Answers the caller of a commit before the server has answered. */
export type AnswerEarly = (error: ColophonError) => void

/**
 * The commits that the server did not confirm in time, as when a synchronous standby stalls: the statement timeout does not count while a
 * commit waits for the standby. The caller is answered, but the connection stays in use until the server answers, because a dropped one
 * leaves its transaction and its locks behind. Until then new writes are refused at once, except for a probe now and then.
 */
export class OverdueCommits {
  readonly #waitMs: number
  readonly #probesMax: number
  readonly #now: () => number
  readonly #clients = new Set<PoolClient>()
  #isStalled = false
  #nextProbeAt = 0
  #isClosed = false

  /** Probes stop while so many commits are overdue: each of them may keep a connection. */
  constructor(waitMs: number, probesMax: number, now = () => performance.now()) {
    this.#waitMs = waitMs
    this.#probesMax = probesMax
    this.#now = now
  }

  get count(): number {
    return this.#isStalled ? this.#clients.size : 0
  }

  /** Refuses a write that would only wait too. One per waiting time is sent nevertheless, to find out whether the stall is over. */
  refuseWhileStalled(): void {
    if (!this.#isStalled) return
    const now = this.#now()
    if (now < this.#nextProbeAt || this.#clients.size >= this.#probesMax)
      throw new ColophonError(
        'storage_unavailable',
        'The database does not confirm writes now. This write was not sent.',
      )
    this.#nextProbeAt = now + this.#waitMs
  }

  /** Waits for the answer to a commit that was sent, however long that takes. */
  async watch<T>(client: PoolClient, answer: Promise<T>, answerEarly: AnswerEarly): Promise<T> {
    const timer = setTimeout(() => {
      this.#clients.add(client)
      this.#isStalled = true
      this.#nextProbeAt = this.#now() + this.#waitMs
      answerEarly(
        new ColophonError('storage_unavailable', 'The database did not confirm the write in time. It may be stored.', {
          details: { limit: 'commitWaitMs', max: this.#waitMs },
        }),
      )
      if (this.#isClosed) disconnect(client)
    }, this.#waitMs)
    try {
      return await answer
    } finally {
      clearTimeout(timer)
      this.#clients.delete(client)
      if (this.#clients.size === 0) this.#isStalled = false
    }
  }

  /** A commit with rows was confirmed: writes are accepted again, even if an older connection never gets its answer. */
  noteConfirmed(): void {
    this.#isStalled = false
  }

  /** Gives the overdue connections up, so that the pool can end. */
  close(): void {
    this.#isClosed = true
    for (const client of this.#clients) disconnect(client)
  }
}

/** Not by `end`: in pipeline mode that waits for the answers. */
export function disconnect(client: PoolClient): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  connection.stream.destroy()
}
