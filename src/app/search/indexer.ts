import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import { keepProcessAlive, pause, yieldToEventLoop } from '../event-loop.ts'

type RefKey = { readonly tenantId: string; readonly memoryRef: string }

/** The largest number of refs whose unindexed rows are counted. Beyond it all counts are dropped; searches report refs that were missed. */
const refsCountedMax = 100_000

const keyOf = (tenantId: string, memoryRef: string) => `${tenantId}\u0000${memoryRef}`

/**
 * Adds new rows to the search index in the background, in batches and in short time slices. It may be late or not run at
 * all: a search also scans rows that are not indexed yet, and reports here when there are many.
 */
export class SearchIndexer {
  readonly #storage: Storage
  readonly #rows = new Map<string, number>()
  /** Refs with the number of rows to index. Rows that are written meanwhile are left until there are enough of them again. */
  readonly #due = new Map<string, RefKey & { readonly rows: number }>()
  #backlog = 0
  #work: Promise<void> | null = null
  #isClosed = false

  constructor(storage: Storage) {
    this.#storage = storage
  }

  /** How many rows this process has still to index. */
  get backlog(): number {
    return this.#backlog
  }

  /** A commit added rows to a ref. They are indexed once there are enough of them. */
  noteWrittenRows(tenantId: string, memoryRef: string, rows: number): void {
    const key = keyOf(tenantId, memoryRef)
    const waiting = (this.#rows.get(key) ?? 0) + rows
    if (waiting < limits.searchUnindexedRows) {
      if (this.#rows.size >= refsCountedMax) this.#rows.clear()
      this.#rows.set(key, waiting)
      return
    }
    this.#indexSoon(key, { tenantId, memoryRef }, waiting)
  }

  /** A search scanned so many unindexed rows. They are indexed, so that the next search need not scan them. */
  noteUnindexedScan(tenantId: string, memoryRef: string, rows: number): void {
    if (rows < limits.searchScannedRows) return
    const key = keyOf(tenantId, memoryRef)
    // Concurrent searches report the same rows: they are counted once.
    if (!this.#due.has(key)) this.#indexSoon(key, { tenantId, memoryRef }, rows)
  }

  /** Waits while the backlog is too large. It slows down writers that write faster than rows can be indexed (backpressure). */
  async waitForCapacity(): Promise<void> {
    while (this.#work && this.#backlog > limits.searchBacklogRowsMax) await yieldToEventLoop()
  }

  /** Finds refs with unindexed rows that an earlier process left behind. */
  async catchUp(): Promise<void> {
    const page = { rowsMax: limits.searchUnindexedRows, limit: limits.pageEntriesMax }
    let after: RefKey | null = null
    while (!this.#isClosed) {
      const refs: readonly (RefKey & { rows: number })[] = await this.#storage.search.unindexed({ after, ...page })
      for (const { tenantId, memoryRef, rows } of refs) {
        // There may be more than were counted.
        if (rows >= limits.searchUnindexedRows)
          this.#indexSoon(keyOf(tenantId, memoryRef), { tenantId, memoryRef }, rows, Number.POSITIVE_INFINITY)
      }
      after = refs.at(-1) ?? null
      if (after === null) return
      await this.idle()
    }
  }

  /** Resolves when the backlog is empty. */
  async idle(): Promise<void> {
    while (this.#work) await this.#work
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await keepProcessAlive(this.idle())
  }

  #indexSoon(key: string, ref: RefKey, rows: number, rowsMax = rows): void {
    this.#rows.delete(key)
    this.#backlog += rows
    this.#due.set(key, { ...ref, rows: rowsMax + (this.#due.get(key)?.rows ?? 0) })
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
    for (const [key, { tenantId, memoryRef, rows }] of this.#due) {
      this.#due.delete(key)
      try {
        // A batch of long texts has fewer rows than allowed, so only an empty batch is the last one. A batch of a few rows costs
        // nearly as much as a full one, so writers that go on do not make it index each of their rows at once.
        for (let left = rows, done = 1; left > 0 && done > 0 && !this.#isClosed; left -= done) {
          // Requests come first, as long as the backlog is small.
          if (this.#backlog < limits.searchBacklogRowsMax / 2) await pause(limits.searchIndexPauseMs)
          else await yieldToEventLoop()
          done = await this.#storage.search.index(tenantId, memoryRef, limits.searchIndexRowsMax)
          this.#backlog = Math.max(0, this.#backlog - done)
        }
      } catch {
        this.#backlog = 0
        // The database is unavailable: the next write or search starts the indexing again.
      }
    }
  }
}
