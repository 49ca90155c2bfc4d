import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { toStorageError, withStorageErrors } from './errors.ts'

export type TableScan = { readonly sql: string; readonly params: Readonly<Record<string, unknown>> }
export type TableScanRequest = { readonly id: number; readonly work: readonly TableScan[] | 'checkpoint' }
export type TableScanResponse = { readonly id: number } & (
  | { readonly rows: unknown[][] }
  | { readonly failure: { readonly code: string | undefined; readonly message: string } }
)

export type Scans = {
  /** The rows of each query, all from one snapshot. */
  read(queries: readonly TableScan[]): Promise<unknown[][]>
  /** Copies the write-ahead log into the file, as far as no reader still needs it. */
  checkpoint(): Promise<void>
  close(): Promise<void>
}

type Waiting = { resolve(rows: unknown[][]): void; reject(error: unknown): void }

/** An unused thread ends after this time: it costs memory. */
const idleMs = 10_000

/** Copies what is committed, without waiting for a reader or a writer. */
export const passiveCheckpoint = 'wal_checkpoint(passive)'

/** Runs the queries in one read transaction. */
export function scan(db: Database, queries: readonly TableScan[]): unknown[][] {
  return db.transaction(() => queries.map(({ sql, params }) => db.prepare(sql).all(params)))()
}

/**
 * Reads that examine every row of a tenant, such as counts: in a thread with a connection of its own, because they would block the
 * event loop for as long as they take. A small file is read in place, which is faster than the way to the thread. The same thread copies
 * the write-ahead log into the file.
 */
export function createScans(db: Database, path: string, inPlaceBytesMax: number = limits.scanInPlaceBytesMax): Scans {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  let isClosed = false

  function fail(error: unknown): void {
    thread = null
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function start(): Worker {
    const file = import.meta.url.endsWith('.ts') ? './scan-thread.ts' : './scan-thread.js'
    const made = new Worker(new URL(file, import.meta.url), { workerData: { path } })
    made.on('message', (response: TableScanResponse) => {
      const one = waiting.get(response.id)
      // The store was closed meanwhile. The thread must keep the process alive until it has ended.
      if (one === undefined) return
      waiting.delete(response.id)
      if (waiting.size === 0) {
        // The thread keeps the process alive only while a call waits for it.
        made.unref()
        idle = setTimeout(() => {
          // The next call starts another thread, and is not sent to one that is ending.
          if (thread === made) thread = null
          void made.terminate()
        }, idleMs).unref()
      }
      if ('rows' in response) one.resolve(response.rows)
      else one.reject(toStorageError(Object.assign(new Error(response.failure.message), response.failure)))
    })
    const end = () => {
      if (thread === made) fail(new ColophonError('storage_unavailable', 'The thread that reads the database ended.'))
    }
    made.on('error', end)
    made.on('exit', end)
    return made
  }

  function send(work: TableScanRequest['work']): Promise<unknown[][]> {
    clearTimeout(idle)
    thread ??= start()
    thread.ref()
    const id = ++lastId
    const request: TableScanRequest = { id, work }
    thread.postMessage(request)
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }

  return {
    async read(queries) {
      if (isClosed) throw closed()
      if (statSync(path).size <= inPlaceBytesMax) return withStorageErrors(() => scan(db, queries))
      return send(queries)
    },
    async checkpoint() {
      if (isClosed) throw closed()
      await send('checkpoint')
    },
    async close() {
      isClosed = true
      const ending = thread
      fail(closed())
      await ending?.terminate()
    },
  }
}

function closed(): ColophonError {
  return new ColophonError('closed', 'The store was closed.')
}
