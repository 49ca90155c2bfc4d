import Database from 'better-sqlite3'
import { createPostingCache } from '../src/adapters/sqlite/posting-cache.ts'
import { createSearchTable, keysOf, mergeStepsMax, scopeIdOf } from '../src/adapters/sqlite/search-table.ts'
import { unflushed } from '../src/adapters/sqlite/unflushed.ts'
import { limits } from '../src/core/limits.ts'
import { type Draft, memoryRef, type RawEntry, toRawEntries } from './entries.ts'
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

/** With its keys in the full-text index; an entry without them is not indexed. */
export type RawIndexedEntry = RawEntry & { readonly keys?: string }

const origin = { kind: 'api' } as const
const originColumn = JSON.stringify(origin)

/**
 * The yardstick: the same rows, statements, pragmas, index and audit with better-sqlite3 alone. No queue, no checks, no
 * redaction. As in the adapter, new rows are indexed together and without a flush, by the write after those that made them
 * enough, and then the segments of the index are merged. `audit: false` leaves out the audit row and every hash, to see what the chain costs.
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
  const index = createSearchTable(writer, createPostingCache(writer))
  while (index.index(tenantId, memoryRef, limits.searchIndexRowsMax) > 0);
  const scopeId = writer
    .prepare('select scope_id from search_scope where tenant_id = ? and memory_ref = ?')
    .pluck()
    .get(tenantId, memoryRef) as number | undefined
  let unindexed: (readonly [rowId: number, keys: string])[] = []

  const insertKeys = writer.transaction(() => {
    for (const [rowId, keys] of unindexed) write.insertKeys.run(rowId, keys)
    write.saveProgress.run({ tenantId, memoryRef, rows: unindexed.length })
  })

  function indexRows(): void {
    if (unindexed.length < limits.searchUnindexedRows) return
    unflushed(writer, () => insertKeys.immediate())
    unindexed = []
    // As the adapter does, whose index does not merge its segments by itself.
    for (let step = 0; step < mergeStepsMax && index.merge(); step++);
  }

  const rowBefore = (rows: number, position: number) =>
    write.takeRows.get({ tenantId, memoryRef, rows, position }) as number

  function insertEntry(rowId: number, entry: RawIndexedEntry, position: number, ordinal: number, at: number): void {
    // biome-ignore format: one row, in the order of the statement
    write.insertVersion.run(rowId, tenantId, memoryRef, entry.id, 1, entry.content, JSON.stringify(entry.tags), entry.salt, at,
      null, position, ordinal, position, null, originColumn, null, null)
    for (const tag of entry.tags) write.insertTag.run(scopeIdOf(rowId), tag, position, ordinal, 1, position)
    if (entry.keys !== undefined) unindexed.push([rowId, entry.keys])
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
    return (given) => {
      indexRows()
      run.immediate(given)
    }
  }

  return {
    /** With what every program has to make of a draft: ids, salts, and the keys of the index. */
    entriesOf(drafts: readonly Draft[]): RawIndexedEntry[] {
      if (scopeId === undefined) throw new Error('The benchmark indexes entries of a ref that has none yet.')
      const fields = { subject: null, origin, classification: null, createdAt: Date.now() }
      return toRawEntries(drafts).map((entry) => ({
        ...entry,
        keys: keysOf({ scope_id: scopeId }, { ...entry, ...fields }),
      }))
    },
    /** Group commit: each entry has its own position and audit record, and all share one transaction. */
    putEach: inTransaction<readonly RawIndexedEntry[]>((clock, at, entries) => {
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
    putMany: inTransaction<readonly RawIndexedEntry[]>((clock, at, entries) => {
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
