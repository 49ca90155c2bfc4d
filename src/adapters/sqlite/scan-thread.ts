import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { passiveCheckpoint, scan, type TableScanRequest, type TableScanResponse } from './scans.ts'

/** The thread of `scans.ts`: one connection, one request after the other. */
const db = new Database((workerData as { path: string }).path, { fileMustExist: true, timeout: 2_000 })
// Not opened as read-only: such a connection cannot copy the write-ahead log.
db.pragma('query_only = on')
db.pragma('temp_store = memory')

parentPort?.on('message', ({ id, work }: TableScanRequest) => {
  let response: TableScanResponse
  try {
    response = { id, rows: work === 'checkpoint' ? [db.pragma(passiveCheckpoint) as unknown[]] : scan(db, work) }
  } catch (error) {
    // An error loses its code on the way to another thread.
    response = { id, failure: { code: (error as { code?: string }).code, message: String(error) } }
  }
  parentPort?.postMessage(response)
})
