import { createHmac, createSecretKey, hash } from 'node:crypto'
import Database from 'better-sqlite3'
import { scopeIdOf } from '../src/adapters/sqlite/search-table.ts'
import { writeStatements } from './raw-sqlite-statements.ts'
import {
  eventsOf,
  factsOf,
  hashEvents,
  newRawRun,
  type RawRun,
  summaryOf,
  summaryRef,
  textOf,
  workflowId,
} from './run-raw-rows.ts'
import { runStatements } from './run-raw-statements.ts'

type ClockRow = { position: number; last_hash: string; last_created_at: number }
type HeadRow = { revision: number; snapshot_position: number; snapshot_at: number; created_at: number }
type JobRow = { lease_token: string | null; due_at: number; payload: string; created_at: number; started_at: number }
type Write = (clock: ClockRow, at: number) => ClockRow

export type RawRuns = ReturnType<typeof openRawRuns>

const leaseMs = 10_000
const refs = JSON.stringify([summaryRef])
const noTags = JSON.stringify([])

/**
 * The yardstick of runs: the same two commits with better-sqlite3 alone. Requests that arrive during a commit share
 * the next one, as with ours. No redaction, no engine, no checks beyond the two that keep a lost lease from being used.
 */
export function openRawRuns(path: string, tenantId: string, actor: string) {
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  db.pragma('synchronous = full')
  db.pragma('secure_delete = on')
  db.pragma('temp_store = memory')
  const entry = writeStatements(db)
  const sql = runStatements(db)
  const { mac_key } = db.prepare('select mac_key from tenant where tenant_id = ?').get(tenantId) as {
    mac_key: Uint8Array
  }
  const macKey = createSecretKey(mac_key)
  const mac = (text: string) => createHmac('sha256', macKey).update(text).digest('base64url').slice(0, 22)
  const ref = mac(summaryRef)
  const worker = 'worker_raw'
  const commit = groupCommits((writes) => {
    sql.begin.run()
    try {
      const clock = entry.clock.get(tenantId) as ClockRow
      let next = clock
      for (const write of writes) next = write(next, Math.max(Date.now(), next.last_created_at))
      if (next !== clock) entry.updateClock.run(next.position, next.last_hash, next.last_created_at, tenantId)
      sql.commit.run()
    } catch (error) {
      sql.rollback.run()
      throw error
    }
  })

  function storeNew(run: RawRun, clock: ClockRow, at: number): ClockRow {
    const { runId, jobId, leaseToken } = run
    if (sql.head.get(tenantId, runId) !== undefined) throw new Error('The run is there already.')
    const payload = JSON.stringify({ runId })
    // biome-ignore format: one row, in the order of the statement
    sql.saveJob.run(tenantId, jobId, 'colophon.run', 'leased', 10, at + leaseMs, payload, 1, 20, 0, leaseToken, worker,
      null, null, null, at, at, null, null)
    sql.announceJob.run(tenantId, at + leaseMs)
    // biome-ignore format: one row, in the order of the statement
    sql.insert.run(tenantId, runId, workflowId, 1, 'pending', 1, 0, clock.position, at, null, null, null, noTags, at,
      at, null, factsOf(run, null), textOf(run))
    return clock
  }

  function storeEnd(run: RawRun, startedAt: number): Write {
    const { runId, jobId, leaseToken } = run
    const summary = summaryOf(run, startedAt)
    return (clock, at) => {
      const head = sql.head.get(tenantId, runId) as HeadRow
      const job = sql.loadJob.get(tenantId, jobId) as JobRow
      if (head.revision !== 1 || job.lease_token !== leaseToken) throw new Error('The run is not ours any more.')
      const position = clock.position + 1
      const { id, salt, tags, content, digestAt, origin } = summary
      const before = entry.takeRows.get({ tenantId, memoryRef: summaryRef, rows: 1, position }) as number
      // biome-ignore format: one row, in the order of the statement
      entry.insertVersion.run(before + 1, tenantId, summaryRef, id, 1, content, JSON.stringify(tags), salt, at, null,
        position, 0, position, null, JSON.stringify(origin), runId, origin.sequence)
      for (const tag of tags) entry.insertTag.run(scopeIdOf(before + 1), tag, position, 0, 1, position)
      // biome-ignore format: one row, in the order of the statement
      sql.saveJob.run(tenantId, jobId, 'colophon.run', 'completed', 10, job.due_at, job.payload, 1, 20, 0, null, null,
        null, null, null, job.created_at, job.started_at, at, null)
      const events = eventsOf(tenantId, run, summary)
      const [facts, text] = [factsOf(run, startedAt, hashEvents(run, events, at)), textOf(run)]
      sql.update.run(2, 5, at, noTags, facts, text, 'completed', at, tenantId, runId)
      events.forEach(([type, nodeId, payload], sequence) => {
        sql.insertEvent.run(tenantId, runId, sequence, type, nodeId, at, JSON.stringify(payload), null)
      })
      const moments = [head.snapshot_position, head.snapshot_at, head.created_at, at, at]
      const parts = JSON.stringify([runId, workflowId, 1, 'completed', 2, 5, ...moments])
      const ended = [{ digest: mac(hash('sha256', `${parts.slice(0, -1)},${facts},${text}]`, 'base64url')), id: runId }]
      const written = [{ digest: digestAt(at, position), id, ref, version: 1 }]
      const body = JSON.stringify({ actor: `run:${runId}`, kind: 'memory.written', runs: ended, v: 2, written })
      const record = `{"at":"${new Date(at).toISOString()}","body":${body},"position":${position},"prev":"${clock.last_hash}","tenant":"${tenantId}","v":1}`
      const last_hash = hash('sha256', record, 'hex')
      entry.insertAudit.run(tenantId, position, at, body, last_hash, refs)
      return { position, last_hash, last_created_at: at }
    }
  }

  return {
    async create(inputs: unknown): Promise<RawRun> {
      const run = newRawRun(actor, inputs)
      await commit((clock, at) => storeNew(run, clock, at))
      return run
    },
    complete: (run: RawRun): Promise<void> => commit(storeEnd(run, Date.now())),
    close: () => db.close(),
  }
}

/** While one group commits, the next one is collected; there is no timer, and no caller gets a response before its commit. */
function groupCommits(store: (writes: readonly Write[]) => void): (write: Write) => Promise<void> {
  let waiting: { write: Write; resolve: () => void; reject: (error: unknown) => void }[] = []
  const flush = () => {
    const group = waiting
    waiting = []
    try {
      store(group.map(({ write }) => write))
      for (const { resolve } of group) resolve()
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  return (write) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ write, resolve, reject }) === 1) setImmediate(flush)
    })
}
