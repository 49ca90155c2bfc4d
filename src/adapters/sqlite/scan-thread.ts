import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { scan, type TableScanRequest, type TableScanResponse } from './scans.ts'

/** The thread of `scans.ts`: one connection, one request after the other. */
const db = new Database((workerData as { path: string }).path, { readonly: true, timeout: 2_000 })
db.pragma('temp_store = memory')

parentPort?.on('message', ({ id, queries }: TableScanRequest) => {
  let response: TableScanResponse
  try {
    response = { id, rows: scan(db, queries) }
  } catch (error) {
    // An error loses its code on the way to another thread.
    response = { id, failure: { code: (error as { code?: string }).code, message: String(error) } }
  }
  parentPort?.postMessage(response)
})
