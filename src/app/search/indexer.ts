import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import { keepProcessAlive, pause, turn } from './turns.ts'

type Scope = { readonly tenantId: string; readonly memoryRef: string }

/** Scopes whose waiting rows are counted; beyond that counting starts anew, and a search finds what was missed. */
const scopesCounted = 100_000

const keyOf = (tenantId: string, memoryRef: string) => `${tenantId}\u0000${memoryRef}`

/**
 * Indexes in the background what was written, many rows at a time and never for long. It may be late, or not there at
 * all: a search goes through what waits, and says here when that becomes much.
 */
export class SearchIndexer {
  readonly #storage: Storage
  readonly #rows = new Map<string, number>()
  readonly #due = new Map<string, Scope>()
  #backlog = 0
  #work: Promise<void> | null = null
  #isClosed = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** Rows that are due to be indexed by this process. */
  get backlog(): number {
    return this.#backlog
  }

  /** So many more rows of a scope wait. */
  note(tenantId: string, memoryRef: string, rows: number): void {
    const key = keyOf(tenantId, memoryRef)
    const waiting = (this.#rows.get(key) ?? 0) + rows
    if (waiting < limits.searchUnindexedRows) {
      if (this.#rows.size >= scopesCounted) this.#rows.clear()
      this.#rows.set(key, waiting)
      return
    }
    this.#indexSoon(key, { tenantId, memoryRef }, waiting)
  }

  /** A search went through so many rows that wait; unless they are indexed, the next one does it all again. */
  noteUnindexedScan(tenantId: string, memoryRef: string, rows: number): void {
    if (rows < limits.searchMetRows) return
    const key = keyOf(tenantId, memoryRef)
    // Many may search at the same time: the rows are counted once.
    if (!this.#due.has(key)) this.#indexSoon(key, { tenantId, memoryRef }, rows)
  }

  /** Waits while so much is due that searches would have to wait for it: whoever writes faster than can be indexed is slowed down. */
  async room(): Promise<void> {
    while (this.#work && this.#backlog > limits.searchBacklogRowsMax) await turn()
  }

  /** Looks for scopes that were left waiting: by an earlier version, or when a process ended. */
  async catchUp(): Promise<void> {
    const page = { rowsMax: limits.searchUnindexedRows, limit: limits.pageEntriesMax }
    let after: Scope | null = null
    while (!this.#isClosed) {
      const scopes: readonly (Scope & { rows: number })[] = await this.#storage.search.waiting({ after, ...page })
      for (const { tenantId, memoryRef, rows } of scopes) {
        if (rows >= limits.searchUnindexedRows) this.note(tenantId, memoryRef, rows)
      }
      after = scopes.at(-1) ?? null
      if (after === null) return
      await this.idle()
    }
  }

  /** Resolves when nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await keepProcessAlive(this.idle())
  }

  #indexSoon(key: string, scope: Scope, rows: number): void {
    this.#rows.delete(key)
    this.#backlog += rows
    this.#due.set(key, scope)
    this.#start()
  }

  #start(): void {
    if (this.#work || this.#isClosed) return
    this.#work = this.#run().finally(() => {
      this.#work = null
      if (this.#due.size > 0) this.#start()
      else this.#backlog = 0
    })
  }

  async #run(): Promise<void> {
    for (const [key, { tenantId, memoryRef }] of this.#due) {
      this.#due.delete(key)
      try {
        // A step of long texts has fewer rows than it may have: only an empty one is the last.
        for (let done = 1; done > 0 && !this.#isClosed; ) {
          // Requests go first, as long as not too much is due.
          if (this.#backlog < limits.searchBacklogRowsMax / 2) await pause(limits.searchIndexPauseMs)
          else await turn()
          done = await this.#storage.search.index(tenantId, memoryRef, limits.searchIndexRowsMax)
          this.#backlog = Math.max(0, this.#backlog - done)
        }
      } catch {
        this.#backlog = 0
        // A database that is away is not made better by trying again at once: the next write or search will.
      }
    }
  }
}
