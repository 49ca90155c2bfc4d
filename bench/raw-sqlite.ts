import Database from 'better-sqlite3'
import { memoryRef, type RawEntry } from './entries.ts'
import { auditDelete, auditPut, type RawAudit, scopeOf } from './raw-audit.ts'
import { readStatements, writeStatements } from './raw-sqlite-statements.ts'

type ClockRow = { position: number; last_hash: string; last_created_at: number }
type HeadRow = {
  tags: string
  created_position: number
  ordinal: number
  version: number
  ended_position: number | null
}
export type Row = { entry_id: string; created_position: number; ordinal: number }
export type RawSqlite = ReturnType<typeof openRawSqlite>

const origin = JSON.stringify({ kind: 'api' })

/**
 * The yardstick: the same rows, statements, pragmas and audit with better-sqlite3 alone. No queue, no checks, no
 * redaction. `audit: false` leaves out the audit row and every hash, to see what the chain costs.
 */
export function openRawSqlite(path: string, tenantId: string, { audit }: { audit: boolean }) {
  const writer = new Database(path)
  writer.pragma('journal_mode = wal')
  writer.pragma('synchronous = full')
  writer.pragma('secure_delete = on')
  writer.pragma('temp_store = memory')
  const reader = new Database(path, { readonly: true })
  reader.pragma('temp_store = memory')
  reader.pragma('mmap_size = 1073741824')
  const write = writeStatements(writer)
  const read = readStatements(reader)
  const { mac_key } = reader.prepare('select mac_key from tenant where tenant_id = ?').get(tenantId) as {
    mac_key: Uint8Array
  }
  const scope = scopeOf(tenantId, mac_key)

  const rowBefore = (rows: number, position: number) =>
    write.takeRows.get({ tenantId, memoryRef, rows, position }) as number

  function insertEntry(rowId: number, entry: RawEntry, position: number, ordinal: number, at: number): void {
    // biome-ignore format: one row, in the order of the statement
    write.insertVersion.run(rowId, tenantId, memoryRef, entry.id, 1, entry.content, JSON.stringify(entry.tags), entry.salt, at,
      null, position, ordinal, position, null, origin, null, null)
    for (const tag of entry.tags) write.insertTag.run(tenantId, memoryRef, tag, position, ordinal, 1, position)
  }

  function insertAudit(position: number, at: number, { body, hash, refs }: RawAudit): string {
    write.insertAudit.run(tenantId, position, at, body, hash, refs)
    return hash
  }

  function inTransaction<T>(work: (clock: ClockRow, at: number, given: T) => ClockRow): (given: T) => void {
    const run = writer.transaction((given: T) => {
      const clock = write.clock.get(tenantId) as ClockRow
      const next = work(clock, Math.max(Date.now(), clock.last_created_at), given)
      write.updateClock.run(next.position, next.last_hash, next.last_created_at, tenantId)
    })
    return (given) => run.immediate(given)
  }

  return {
    /** Group commit: each entry has its own position and audit record, and all share one transaction. */
    putEach: inTransaction<readonly RawEntry[]>((clock, at, entries) => {
      let { position, last_hash } = clock
      let rowId = rowBefore(entries.length, position + entries.length)
      for (const entry of entries) {
        position += 1
        rowId += 1
        insertEntry(rowId, entry, position, 0, at)
        if (audit) last_hash = insertAudit(position, at, auditPut(scope, [entry], position, at, last_hash))
      }
      return { position, last_hash, last_created_at: at }
    }),
    /** One batch: one position, one audit record, one transaction. */
    putMany: inTransaction<readonly RawEntry[]>((clock, at, entries) => {
      const position = clock.position + 1
      const before = rowBefore(entries.length, position)
      entries.forEach((entry, ordinal) => {
        insertEntry(before + ordinal + 1, entry, position, ordinal, at)
      })
      const record = auditPut(scope, entries, position, at, clock.last_hash)
      return { position, last_hash: insertAudit(position, at, record), last_created_at: at }
    }),
    delete: inTransaction<string>((clock, at, id) => {
      const head = write.head.get(tenantId, memoryRef, id) as HeadRow
      if (head.ended_position !== null) throw new Error('The benchmark deletes an entry twice.')
      const position = clock.position + 1
      write.endVersion.run(position, 'deleted', tenantId, memoryRef, id, head.version)
      for (const tag of JSON.parse(head.tags) as string[]) {
        write.endTag.run(position, tenantId, memoryRef, tag, head.created_position, head.ordinal, head.version)
      }
      const record = auditDelete(scope, id, position, at, clock.last_hash)
      return { position, last_hash: insertAudit(position, at, record), last_created_at: at }
    }),
    get: (id: string) => read.get.get(tenantId, memoryRef, id, Date.now()) as Row | undefined,
    list: (limit: number) =>
      read.list.all(tenantId, memoryRef, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Date.now(), limit) as Row[],
    listTag: (tag: string, limit: number) =>
      // biome-ignore format: in the order of the statement
      read.listTag.all(tenantId, memoryRef, tag, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, Date.now(), limit) as Row[],
    /** As of a position, below a place: a snapshot's first page or any later one. */
    listAt: (position: number, fromPosition: number, fromOrdinal: number, limit: number) =>
      // biome-ignore format: in the order of the statement
      read.listAt.all(tenantId, memoryRef, fromPosition, fromOrdinal, position, position, Date.now(), limit) as Row[],
    close() {
      reader.close()
      writer.close()
    },
  }
}
