import type { Database } from 'better-sqlite3'
import type { VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { invariant } from '../../core/invariant.ts'
import { limits } from '../../core/limits.ts'
import { type FilteredFields, filterKeysOf } from '../../core/search/filter-keys.ts'
import { indexedTerms, scopedFilterKeys, scopedTermKeys, termRules } from '../../core/search/indexed-terms.ts'
import { type IndexedRow, indexedColumns, toIndexedVersion } from '../sql/version-rows.ts'
import type { PostingCache } from './posting-cache.ts'
import { unflushed } from './unflushed.ts'

/** A row of `search_scope`, without its name. */
export type ScopeRow = {
  scope_id: number
  newest: number
  indexed: number
  row_count: number
  highest_position: number
  unordered_to: number
}

export const scopeColumns = 'scope_id, newest, indexed, row_count, highest_position, unordered_to'

/** Rows a scope may ever have; with it a number of both fits what JavaScript counts exactly. */
const scopeRowsMax = 2 ** 28

/** Pages of the index that are merged in one step: a few milliseconds. */
const mergedPages = 16

/** Steps in which the index is merged after rows were added to it. A row is merged some five times, so fewer would do in the long run. */
export const mergeStepsMax = 32

export function rowIdOf({ scope_id }: { scope_id: number }, nth: number): number {
  return scope_id * scopeRowsMax + nth
}

export function scopeIdOf(rowId: number): number {
  return Math.floor(rowId / scopeRowsMax)
}

/** The index as the committer needs it: inside a transaction that is already open. */
export type SearchTable = ReturnType<typeof createSearchTable>

export function createSearchTable(db: Database, postings: Pick<PostingCache, 'dropScope'>) {
  const sql = prepare(db)
  /** The scopes of the open transaction: each is read once and written at most twice, however many rows it gets. */
  const scopes = new Map<string, HeldScope>()

  function hold(name: string, row: ScopeRow): HeldScope {
    const scope = { ...row, isChanged: false, isShrunk: false }
    scopes.set(name, scope)
    return scope
  }

  function scopeOf(tenantId: string, memoryRef: string): HeldScope | undefined {
    const name = nameOf(tenantId, memoryRef)
    const known = scopes.get(name)
    if (known !== undefined) return known
    const row = sql.scope.get(tenantId, memoryRef) as ScopeRow | undefined
    return row && hold(name, row)
  }

  /** A stored version and its scope, if it is in the index. */
  function indexedRow(scope: HeldScope, tenantId: string, { entryId, version }: VersionKey): StoredRow | undefined {
    const row = sql.row.get(tenantId, entryId, version) as StoredRow | undefined
    return row === undefined || row.row_id > rowIdOf(scope, scope.indexed) ? undefined : row
  }

  /** What is deleted from the index must be named as it was put in, so its keys are made of the row as it is still stored. */
  function removeKeys(row: StoredRow, scope: ScopeRow): void {
    sql.deleteKeys.run(row.row_id, keysOf(scope, toIndexedVersion(row)))
    postings.dropScope(scope.scope_id)
  }

  const index = db.transaction((tenantId: string, memoryRef: string, rowsMax: number): number => {
    const scope = sql.scope.get(tenantId, memoryRef) as ScopeRow | undefined
    if (scope === undefined || scope.indexed === scope.newest) return 0
    const { indexed, newest } = scope
    const unindexed = sql.rows.iterate(rowIdOf(scope, indexed), rowIdOf(scope, newest), tenantId, memoryRef, rowsMax)
    const rows = takeShortStep(unindexed as IterableIterator<StoredRow>)
    for (const row of rows) sql.insertKeys.run(row.row_id, keysOf(scope, toIndexedVersion(row)))
    const last = rows.at(-1)?.row_id ?? rowIdOf(scope, newest)
    sql.saveProgress.run(last - rowIdOf(scope, 0), rows.length, scope.scope_id)
    return rows.length
  })

  return {
    /** The row id of a new version, which is not indexed yet. */
    add(tenantId: string, { memoryRef, recordedPosition }: EntryVersion): number {
      const name = nameOf(tenantId, memoryRef)
      const scope = scopes.get(name)
      if (scope === undefined) {
        // One statement reads and writes: most transactions add one row to a scope.
        const first = hold(name, sql.takeNumber.get(tenantId, memoryRef, recordedPosition) as ScopeRow)
        return rowIdOf(first, first.newest)
      }
      if (recordedPosition < scope.highest_position) scope.unordered_to = scope.highest_position
      else scope.highest_position = recordedPosition
      scope.newest += 1
      scope.isChanged = true
      invariant(scope.newest < scopeRowsMax, 'a ref has fewer versions than the numbers of its scope')
      return rowIdOf(scope, scope.newest)
    },

    /** Before a text changes in place. A row that is not indexed yet is read when it is indexed. */
    rewrite(tenantId: string, rewritten: EntryVersion): void {
      const scope = scopeOf(tenantId, rewritten.memoryRef)
      if (scope === undefined) return
      const row = indexedRow(scope, tenantId, rewritten)
      if (row === undefined) return
      removeKeys(row, scope)
      sql.insertKeys.run(row.row_id, keysOf(scope, rewritten))
    },

    /** Before the version itself is deleted. */
    erase(tenantId: string, key: VersionKey): void {
      const scope = scopeOf(tenantId, key.memoryRef)
      if (scope === undefined) return
      scope.isShrunk = true
      const row = indexedRow(scope, tenantId, key)
      if (row === undefined) return
      removeKeys(row, scope)
      scope.row_count -= 1
      scope.isChanged = true
    },

    /** Before the transaction commits. */
    saveScopes(): void {
      for (const scope of scopes.values()) {
        const { scope_id, newest, row_count, highest_position, unordered_to, isChanged, isShrunk } = scope
        // A ref may name a person: when no version of it is left, its name is deleted too.
        const isEmpty = isShrunk && sql.anyRow.get(rowIdOf(scope, 0), rowIdOf(scope, newest)) === undefined
        if (isEmpty) {
          sql.dropScope(scope_id)
          postings.dropScope(scope_id)
        } else if (isChanged) sql.saveScope.run(newest, row_count, highest_position, unordered_to, scope_id)
      }
      scopes.clear()
    },

    /** After a transaction was rolled back. */
    dropScopes: () => scopes.clear(),

    /**
     * Merges segments of the index, a few pages of them. Returns whether there was something to merge. SQLite would do it by itself after
     * some of the insertions, a megabyte at once.
     */
    merge(): boolean {
      return unflushed(db, () => {
        const before = sql.changes.get() as number
        sql.merge.run()
        // The statement itself counts as one change.
        return (sql.changes.get() as number) - before > 1
      })
    },

    /** Indexes the oldest unindexed rows of a scope: so many, or fewer when their texts are long. */
    index(tenantId: string, memoryRef: string, rowsMax: number): number {
      // Rows that a power cut takes out of the index are indexed again.
      return unflushed(db, () => index.immediate(tenantId, memoryRef, rowsMax))
    },
  }
}

/**
 * Empties the index if its keys were made by other rules than this program's. Its rows are then indexed again, a few at a time, like new
 * ones. Its segments are merged by `merge` only.
 */
export function checkIndexRules(db: Database): void {
  const automerge = db.prepare(`select v from search_key_config where k = 'automerge'`).pluck().get()
  if (automerge !== 0) db.exec(`insert into search_key (search_key, rank) values ('automerge', 0)`)
  // A newer Unicode knows other letters.
  const rules = `${termRules}, Unicode ${process.versions.unicode}`
  const stored = db.prepare('select rules from search_rules').pluck()
  if (stored.get() === rules) return
  const rebuild = db.transaction(() => {
    db.exec(`
      insert into search_key (search_key) values ('delete-all');
      update search_scope set indexed = 0, row_count = 0;
      delete from search_rules`)
    db.prepare('insert into search_rules (rules) values (?)').run(rules)
  })
  rebuild.immediate()
}

/** The keys of a version in the full-text index, in one text. A key may be repeated: the index keeps it once. */
export function keysOf({ scope_id }: Pick<ScopeRow, 'scope_id'>, version: IndexedFields): string {
  const scope = String(scope_id)
  return `${scopedTermKeys(scope, indexedTerms(version.content))} ${scopedFilterKeys(scope, filterKeysOf(version))}`
}

/** The first row, and as many more as do not take long. */
function takeShortStep(unindexed: Iterable<StoredRow>): StoredRow[] {
  const rows: StoredRow[] = []
  let characters = 0
  for (const row of unindexed) {
    characters += row.content.length
    if (rows.length > 0 && characters > limits.searchIndexCharactersMax) break
    rows.push(row)
  }
  return rows
}

type IndexedFields = FilteredFields & Pick<EntryVersion, 'content'>
type StoredRow = IndexedRow & { row_id: number }
/** As it will be written before the commit. */
type HeldScope = ScopeRow & { isChanged: boolean; isShrunk: boolean }

const nameOf = (tenantId: string, memoryRef: string) => `${tenantId}\u0000${memoryRef}`

/** The number of a scope may be used again, so nothing that has it may stay. */
export function prepareDropScope(db: Database) {
  const dropTags = db.prepare('delete from search_tag where scope_id = ?')
  const drop = db.prepare('delete from search_scope where scope_id = ?')
  return (scopeId: number) => {
    dropTags.run(scopeId)
    drop.run(scopeId)
  }
}

function prepare(db: Database) {
  return {
    row: db.prepare(`
      select row_id, ${indexedColumns}
        from entry_version
       where tenant_id = ?
         and entry_id = ?
         and version = ?`),
    rows: db.prepare(`
      select row_id, ${indexedColumns}
        from entry_version
       where row_id > ?
         and row_id <= ?
         and +tenant_id = ?
         and +memory_ref = ?
       order by row_id
       limit +?`),
    anyRow: db.prepare('select 1 from entry_version where row_id > ? and row_id <= ? limit 1'),
    merge: db.prepare(`insert into search_key (search_key, rank) values ('merge', ${mergedPages})`),
    changes: db.prepare('select total_changes()').pluck(),
    insertKeys: db.prepare('insert into search_key (rowid, keys) values (?, ?)'),
    deleteKeys: db.prepare(`insert into search_key (search_key, rowid, keys) values ('delete', ?, ?)`),
    scope: db.prepare(`select ${scopeColumns} from search_scope where tenant_id = ? and memory_ref = ?`),
    takeNumber: db.prepare(`
      insert into search_scope (tenant_id, memory_ref, newest, highest_position, indexed, row_count, unordered_to)
      values (?, ?, 1, ?, 0, 0, 0)
          on conflict (tenant_id, memory_ref) do update
         set newest = newest + 1,
             unordered_to = iif(excluded.highest_position < highest_position, highest_position, unordered_to),
             highest_position = max(highest_position, excluded.highest_position)
      returning ${scopeColumns}`),
    saveScope: db.prepare(`
      update search_scope
         set newest = ?, row_count = ?, highest_position = ?, unordered_to = ?
       where scope_id = ?`),
    saveProgress: db.prepare('update search_scope set indexed = ?, row_count = row_count + ? where scope_id = ?'),
    dropScope: prepareDropScope(db),
  }
}
