import { limits } from '../core/limits.ts'
import type { Storage } from '../ports/storage.ts'

type Waiter = { readonly after: number; readonly wake: () => void }

/**
 * Wakes whoever waits for a tenant's next position. Commits of this process wake at once; those of others are found by
 * one query over all waited-for tenants, a few times a second. Nothing runs while nobody waits.
 */
export class ClockWatch {
  readonly #storage: Storage
  readonly #waiters = new Map<string, Set<Waiter>>()
  #timer: NodeJS.Timeout | null = null
  #closed = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  notify(tenantId: string, position: number): void {
    for (const waiter of this.#waiters.get(tenantId) ?? []) if (position > waiter.after) waiter.wake()
  }

  /** Resolves when the tenant may be past the position, or when the signal aborts. */
  wait(tenantId: string, after: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        signal?.removeEventListener('abort', wake)
        const ofTenant = this.#waiters.get(tenantId)
        ofTenant?.delete(waiter)
        if (ofTenant?.size === 0) this.#waiters.delete(tenantId)
        resolve()
      }
      const waiter: Waiter = { after, wake }
      if (this.#closed || signal?.aborted) return resolve()
      signal?.addEventListener('abort', wake)
      const ofTenant = this.#waiters.get(tenantId) ?? new Set()
      this.#waiters.set(tenantId, ofTenant.add(waiter))
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
        const positions = await this.#storage.clocks([...this.#waiters.keys()])
        for (const [tenantId, position] of positions) this.notify(tenantId, position)
      } catch {
        // A database that is away for a moment is asked again; readers that wake later meet the error themselves.
      }
      this.#timer = null
      if (this.#waiters.size > 0 && !this.#closed) this.#poll()
    }, limits.changePollMs)
  }
}
