import { limits } from '../../core/limits.ts'

type Waiter<State> = { readonly after: number; readonly wake: (state?: State) => void }

/** Reads the current position of each key. Keys that do not exist are left out. */
type ReadPositions = (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>

/**
 * Wakes readers that wait for a growing number: the position of a tenant, the length of a run's log. A commit of this process
 * wakes them at once. Commits of other processes are found by one query for all keys, a few times a second. Without waiting
 * readers there is no query. A commit of this process can pass what it has stored: the readers then need not read it.
 */
export class Watch<State = undefined> {
  readonly #readPositions: ReadPositions
  readonly #waiters = new Map<string, Set<Waiter<State>>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(readPositions: ReadPositions) {
    this.#readPositions = readPositions
  }

  notify(key: string, position: number, state?: State): void {
    for (const waiter of this.#waiters.get(key) ?? []) if (position > waiter.after) waiter.wake(state)
  }

  /** Resolves when the number may be past the position, with the state if the notification had one, or when the signal aborts. */
  wait(key: string, after: number, signal: AbortSignal | undefined): Promise<State | undefined> {
    return new Promise((resolve) => {
      const wake = (state?: State) => {
        signal?.removeEventListener('abort', end)
        const others = this.#waiters.get(key)
        others?.delete(waiter)
        if (others?.size === 0) this.#waiters.delete(key)
        resolve(state)
      }
      const end = () => wake()
      const waiter: Waiter<State> = { after, wake }
      if (this.#closed || signal?.aborted) return resolve(undefined)
      signal?.addEventListener('abort', end)
      const others = this.#waiters.get(key) ?? new Set()
      this.#waiters.set(key, others.add(waiter))
      this.#poll()
    })
  }

  /** Wakes all readers: their next read finds the store closed. */
  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.wake()
  }

  #poll(): void {
    this.#timer ??= setTimeout(async () => {
      try {
        const positions = await this.#readPositions([...this.#waiters.keys()])
        for (const [key, position] of positions) this.notify(key, position)
      } catch {
        // The database is unavailable: the next poll tries again, and readers get the error from their own reads.
      }
      this.#timer = null
      if (this.#waiters.size > 0 && !this.#closed) this.#poll()
    }, limits.changePollMs)
  }
}
