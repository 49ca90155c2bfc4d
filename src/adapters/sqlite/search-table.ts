import type { Database } from 'better-sqlite3'
import type { VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { limits } from '../../core/limits.ts'
import { filterKeysOf } from '../../core/search/filter-keys.ts'
import { indexedTerms, joinTerms, scopedFilterKey, scopedTermKey, splitTerms } from '../../core/search/indexed-terms.ts'
import { toVersion, type VersionRow, versionColumns } from '../sql/version-rows.ts'

export type ScopeRow = { scope_id: number; newest: number; row_count: number }

/** Rows a scope may ever have; with it a number of both fits what JavaScript counts exactly. */
const scopeRowsMax = 2 ** 28

export function rowIdOf({ scope_id }: { scope_id: number }, nth: number): number {
  return scope_id * scopeRowsMax + nth
}

/** The index as the committer needs it: inside a transaction that is already open. */
export type SearchTable = ReturnType<typeof createSearchTable>

export function createSearchTable(db: Database) {
  const sql = prepare(db)

  function keysOf(scopeId: number, terms: readonly string[], marks: readonly string[]): string {
    const scope = String(scopeId)
    const words = [...new Set(terms)].map((term) => scopedTermKey(scope, term))
    return [...words, ...marks.map((mark) => scopedFilterKey(scope, mark))].join(' ')
  }

  /** What is deleted from the index must be named as it was put in: so terms and marks are stored. */
  function removeKeys({ row_id, terms, marks }: IndexedRow): void {
    sql.deleteKeys.run(row_id, keysOf(scopeOf(row_id), splitTerms(terms), splitTerms(marks)))
  }

  function eraseRow(tenantId: string, entryId: string, version: number): void {
    const row = sql.row.get(tenantId, entryId, version) as IndexedRow | undefined
    if (row === undefined) return
    removeKeys(row)
    sql.deleteRow.run(row.row_id)
    sql.shrinkScope.run(scopeOf(row.row_id))
    sql.dropScope.run(scopeOf(row.row_id))
  }

  return {
    /** A new version waits for the index. */
    add(tenantId: string, { memoryRef, entryId, version, recordedPosition }: EntryVersion, place: number): void {
      sql.wait.run(tenantId, memoryRef, recordedPosition, place, entryId, version)
    },

    /** A text has changed in place. A row that is not indexed yet is read when it is indexed. */
    rewrite(tenantId: string, rewritten: EntryVersion): void {
      const row = sql.row.get(tenantId, rewritten.entryId, rewritten.version) as IndexedRow | undefined
      if (row === undefined) return
      removeKeys(row)
      const terms = indexedTerms(rewritten.content)
      const marks = filterKeysOf(rewritten)
      sql.updateTerms.run(joinTerms(terms), joinTerms(marks), row.row_id)
      sql.insertKeys.run(row.row_id, keysOf(scopeOf(row.row_id), terms, marks))
    },

    /** Before the version itself is deleted: it says where it waits. */
    erase(tenantId: string, { memoryRef, entryId, version }: VersionKey): void {
      sql.stopWaiting.run(tenantId, memoryRef, tenantId, entryId, version, entryId, version)
      eraseRow(tenantId, entryId, version)
    },

    eraseRow,

    /** Indexes what waits longest in a scope: so many rows, or fewer when their texts are long. */
    index: db.transaction((tenantId: string, memoryRef: string, rowsMax: number): number => {
      const waiting = sql.longestWaiting.iterate(tenantId, memoryRef, rowsMax) as IterableIterator<WaitingRow>
      const rows = takeShortStep(waiting)
      if (rows.length === 0) return 0
      const scope = (sql.scope.get(tenantId, memoryRef) ?? sql.makeScope.get(tenantId, memoryRef)) as ScopeRow
      rows.forEach((row, at) => {
        const { entryId, version, recordedPosition, content, ...marked } = toVersion(row)
        const terms = indexedTerms(content)
        const marks = filterKeysOf(marked)
        const rowId = rowIdOf(scope, scope.newest + at + 1)
        sql.insertRow.run(rowId, tenantId, entryId, version, recordedPosition, joinTerms(terms), joinTerms(marks))
        sql.insertKeys.run(rowId, keysOf(scope.scope_id, terms, marks))
        sql.indexed.run(tenantId, memoryRef, recordedPosition, row.place)
      })
      sql.growScope.run(rows.length, rows.length, scope.scope_id)
      return rows.length
    }).immediate,
  }
}

/** The first row, and as many more as do not take long. */
function takeShortStep(waiting: Iterable<WaitingRow>): WaitingRow[] {
  const rows: WaitingRow[] = []
  let characters = 0
  for (const row of waiting) {
    characters += row.content.length
    if (rows.length > 0 && characters > limits.searchIndexCharactersMax) break
    rows.push(row)
  }
  return rows
}

function scopeOf(rowId: number): number {
  return Math.floor(rowId / scopeRowsMax)
}

type IndexedRow = { row_id: number; terms: string; marks: string }
type WaitingRow = VersionRow & { place: number }

function prepare(db: Database) {
  return {
    wait: db.prepare(`
      insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
      values (?, ?, ?, ?, ?, ?)`),
    stopWaiting: db.prepare(`
      delete from search_waiting
       where tenant_id = ?
         and memory_ref = ?
         and recorded_position = (
           select recorded_position
             from entry_version
            where tenant_id = ?
              and entry_id = ?
              and version = ?)
         and entry_id = ?
         and version = ?`),
    row: db.prepare('select row_id, terms, marks from search_row where tenant_id = ? and entry_id = ? and version = ?'),
    updateTerms: db.prepare('update search_row set terms = ?, marks = ? where row_id = ?'),
    deleteRow: db.prepare('delete from search_row where row_id = ?'),
    insertKeys: db.prepare('insert into search_key (rowid, keys) values (?, ?)'),
    deleteKeys: db.prepare(`insert into search_key (search_key, rowid, keys) values ('delete', ?, ?)`),
    scope: db.prepare('select scope_id, newest, row_count from search_scope where tenant_id = ? and memory_ref = ?'),
    makeScope: db.prepare(`
      insert into search_scope (tenant_id, memory_ref, newest, row_count)
      values (?, ?, 0, 0)
      returning scope_id, newest, row_count`),
    growScope: db.prepare('update search_scope set newest = newest + ?, row_count = row_count + ? where scope_id = ?'),
    shrinkScope: db.prepare('update search_scope set row_count = row_count - 1 where scope_id = ?'),
    // A ref may name a person: when no row of it is left, its name is deleted too.
    dropScope: db.prepare('delete from search_scope where scope_id = ? and row_count = 0'),
    insertRow: db.prepare(`
      insert into search_row (row_id, tenant_id, entry_id, version, recorded_position, terms, marks)
      values (?, ?, ?, ?, ?, ?, ?)`),
    longestWaiting: db.prepare(`
      select ${versionColumns.replace(/\w+/g, 'v.$&')}, w.place
        from search_waiting w
       cross join entry_version v
          on v.tenant_id = w.tenant_id
         and v.entry_id = w.entry_id
         and v.version = w.version
       where w.tenant_id = ?
         and w.memory_ref = ?
       order by w.recorded_position, w.place
       limit +?`),
    indexed: db.prepare(`
      delete from search_waiting
       where tenant_id = ?
         and memory_ref = ?
         and recorded_position = ?
         and place = ?`),
  }
}
