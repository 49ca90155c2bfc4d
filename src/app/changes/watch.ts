import { limits } from '../../core/limits.ts'

type Waiter = { readonly after: number; readonly wake: () => void }

/** How far each of these has come; those that do not exist are left out. */
type Look = (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>

/**
 * Wakes whoever waits for something that only grows: a tenant's position, a run's log. What this process stores wakes at
 * once; what others store is found by one query over everything waited for, a few times a second. Nothing runs while
 * nobody waits.
 */
export class Watch {
  readonly #look: Look
  readonly #waiters = new Map<string, Set<Waiter>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(look: Look) {
    this.#look = look
  }

  notify(key: string, position: number): void {
    for (const waiter of this.#waiters.get(key) ?? []) if (position > waiter.after) waiter.wake()
  }

  /** Resolves when it may be past the position, or when the signal aborts. */
  wait(key: string, after: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake)
        const others = this.#waiters.get(key)
        others?.delete(waiter)
        if (others?.size === 0) this.#waiters.delete(key)
        resolve()
      }
      const waiter: Waiter = { after, wake }
      if (this.#closed || signal?.aborted) return resolve()
      signal?.addEventListener('abort', wake)
      const others = this.#waiters.get(key) ?? new Set()
      this.#waiters.set(key, others.add(waiter))
      this.#poll()
    })
  }

  /** Wakes everybody: they find the store closed. */
  close(): void {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    for (const waiters of [...this.#waiters.values()]) for (const waiter of [...waiters]) waiter.wake()
  }

  #poll(): void {
    this.#timer ??= setTimeout(async () => {
      try {
        const positions = await this.#look([...this.#waiters.keys()])
        for (const [key, position] of positions) this.notify(key, position)
      } catch {
        // A database that is away for a moment is asked again; readers that wake later meet the error themselves.
      }
      this.#timer = null
      if (this.#waiters.size > 0 && !this.#closed) this.#poll()
    }, limits.changePollMs)
  }
}
