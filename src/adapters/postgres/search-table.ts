import type { SealedRewrite, VersionKey } from '../../core/commit/batch.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { filterKeysOf } from '../../core/search/filter-keys.ts'
import { indexedTerms, joinTerms } from '../../core/search/indexed-terms.ts'
import type { SearchStore, UnindexedRef } from '../../ports/search-store.ts'
import { toVersion, type VersionRow, versionColumns } from '../sql/version-rows.ts'
import { type Queryable, query, type Send, statement, type Transaction } from './connection.ts'
import { type Database, host } from './database.ts'
import { addToLists, keysOf, returnToLists, takeFromLists } from './search-lists.ts'

/** Writes the index inside a transaction that is already open. */

/** New versions wait for the index, in their order. */
export function addToSearch(
  send: Send,
  tenantId: string,
  versions: readonly EntryVersion[],
  placeFrom: number,
): Promise<unknown> {
  return send(wait, [
    tenantId,
    versions.map((v) => v.memoryRef),
    versions.map((v) => v.recordedPosition),
    versions.map((_, place) => placeFrom + place),
    versions.map((v) => v.entryId),
    versions.map((v) => v.version),
  ])
}

/** A text has changed in place. A row that is not indexed yet is read when it is indexed. */
export function rewriteInSearch(send: Send, tenantId: string, v: SealedRewrite): Promise<unknown>[] {
  const terms = indexedTerms(v.content)
  const marks = filterKeysOf(v)
  return [
    send(holdScopes, [tenantId, [v.memoryRef]]),
    ...takeFromLists(send, tenantId, [v.entryId], [v.version]),
    send(rewriteRow, [tenantId, v.entryId, v.version, joinTerms(terms), joinTerms(marks)]),
    returnToLists(send, tenantId, v, keysOf({ terms, marks })),
  ]
}

/** After the versions were locked: a process that indexes one of them has finished by then, or has not seen it. */
export function eraseFromSearch(send: Send, tenantId: string, erasures: readonly VersionKey[]): Promise<unknown>[] {
  const ids = erasures.map((v) => v.entryId)
  const versions = erasures.map((v) => v.version)
  const refs = [...new Set(erasures.map((v) => v.memoryRef))]
  return [
    send(stopWaiting, [tenantId, ids, versions]),
    send(holdScopes, [tenantId, refs]),
    ...takeFromLists(send, tenantId, ids, versions),
    send(deleteRows, [tenantId, ids, versions]),
    send(dropScopes, [tenantId, refs]),
  ]
}

/** Keys of one step: a text may have ten thousand, and a step must not take longer than a statement may. */
const keysPerStep = 50_000

/** Indexes what waits longest in a scope, long texts in several steps. */
export async function indexWaiting(
  database: Database,
  tenantId: string,
  memoryRef: string,
  rowsMax: number,
): Promise<number> {
  let done = 0
  for (let asked = rowsMax; ; ) {
    const step = await database.transaction(host, 'index', (tx) => indexStep(tx, tenantId, memoryRef, asked))
    done += step.rows
    if (!step.isCut || done >= rowsMax) return done
    asked = Math.min(2 * step.rows, rowsMax - done)
  }
}

/** Rows are locked before the scope, as erasing does it. */
async function indexStep({ send, commit }: Transaction, tenantId: string, memoryRef: string, rowsMax: number) {
  const { rows: waiting } = await send<WaitingRow>(lockWaiting, [tenantId, memoryRef, rowsMax])
  if (waiting.length === 0) {
    await commit()
    return { rows: 0, isCut: false }
  }
  const read = readRows(waiting)
  const grown = await send<{ newest: number }>(growScope, [tenantId, memoryRef, read.length])
  const first = (grown.rows[0]?.newest ?? 0) - read.length
  const indexed = read.map((row, at) => ({ ...row, nth: first + at + 1 }))
  const stored = indexed.map(({ row: { entry_id, version, recorded_position }, nth, terms, marks }) => ({
    nth,
    entry_id,
    version,
    recorded_position,
    terms: joinTerms(terms),
    marks: joinTerms(marks),
  }))
  const rows = read.map(({ row }) => row)
  const positions = rows.map((row) => row.recorded_position)
  await commit(
    send(insertRows, [tenantId, memoryRef, JSON.stringify(stored)]),
    addToLists(send, tenantId, memoryRef, indexed),
    send(deleteWaiting, [tenantId, memoryRef, positions, rows.map((row) => row.place), positions[0], positions.at(-1)]),
  )
  return { rows: rows.length, isCut: rows.length < waiting.length }
}

/** The first of them, and as many more as make no more keys than one step may have. */
function readRows(waiting: readonly WaitingRow[]) {
  const read = []
  let keys = 0
  for (const row of waiting) {
    const terms = indexedTerms(row.content)
    const marks = filterKeysOf(toVersion(row))
    keys += keysOf({ terms, marks }).length
    if (keys > keysPerStep && read.length > 0) break
    read.push({ row, terms, marks })
  }
  return read
}

type WaitingRow = VersionRow & { place: number }

const wait = statement(
  'search_wait',
  `insert into search_waiting (tenant_id, memory_ref, recorded_position, place, entry_id, version)
   select $1, r.* from unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bigint[]) as r`,
)

const rewriteRow = statement(
  'search_rewrite',
  `update search_row
      set terms = $4, marks = $5
    where tenant_id = $1
      and entry_id = $2
      and version = $3`,
)

// The versions are found by their keys first: joined with what waits, they could be looked up by position as well, and
// the planner chose that now and then.
const stopWaiting = statement(
  'search_stop_waiting',
  `with gone as materialized (
     select v.memory_ref, v.recorded_position, v.entry_id, v.version
       from unnest($2::text[], $3::bigint[]) as erased (entry_id, version)
       join entry_version v
         on v.tenant_id = $1
        and v.entry_id = erased.entry_id
        and v.version = erased.version)
   delete from search_waiting w
    using gone
    where w.tenant_id = $1
      and w.memory_ref = gone.memory_ref
      and w.recorded_position = gone.recorded_position
      and w.entry_id = gone.entry_id
      and w.version = gone.version`,
)

// A process that changes the lists of a ref locks its scope, in the order of the refs: so there is no deadlock.
const holdScopes = statement(
  'search_hold_scopes',
  `select 1
     from search_scope
    where tenant_id = $1
      and memory_ref = any($2)
    order by memory_ref
      for update`,
)

const deleteRows = statement(
  'search_delete_rows',
  `with gone as (
     delete from search_row r
      using unnest($2::text[], $3::bigint[]) as erased (entry_id, version)
      where r.tenant_id = $1
        and r.entry_id = erased.entry_id
        and r.version = erased.version
     returning r.memory_ref)
   update search_scope s
      set row_count = row_count - lost.rows
     from (select memory_ref, count(*) as rows from gone group by memory_ref) lost
    where s.tenant_id = $1
      and s.memory_ref = lost.memory_ref`,
)

// A ref may name a person: when no row of it is left, its name is deleted too.
const dropScopes = statement(
  'search_drop_scopes',
  'delete from search_scope where tenant_id = $1 and memory_ref = any($2) and row_count = 0',
)

// Rows are locked in the order of the tables named: versions before their rows of `search_waiting`, as erasing does it.
const lockWaiting = statement(
  'search_lock_waiting',
  `select ${versionColumns.replace(/\w+/g, 'v.$&')}, w.place
     from entry_version v
     join search_waiting w
       on v.tenant_id = w.tenant_id
      and v.entry_id = w.entry_id
      and v.version = w.version
    where w.tenant_id = $1
      and w.memory_ref = $2
    order by w.recorded_position, w.place
    limit $3
      for update`,
)

const growScope = statement(
  'search_grow_scope',
  `insert into search_scope as s (tenant_id, memory_ref, newest, row_count)
   values ($1, $2, $3, $3)
       on conflict (tenant_id, memory_ref) do update
      set newest = s.newest + excluded.newest, row_count = s.row_count + excluded.row_count
   returning newest`,
)

const insertRows = statement(
  'search_insert_rows',
  `insert into search_row (tenant_id, memory_ref, nth, entry_id, version, recorded_position, terms, marks)
   select $1, $2, nth, entry_id, version, recorded_position, terms, marks
     from json_to_recordset($3::json)
       as r (nth bigint, entry_id text, version bigint, recorded_position bigint, terms text, marks text)`,
)

// The positions they lie between first: joined with the list, every row that waits would be compared with all of it.
const deleteWaiting = statement(
  'search_delete_waiting',
  `delete from search_waiting
    where tenant_id = $1
      and memory_ref = $2
      and recorded_position between $5 and $6
      and (recorded_position, place) in (select * from unnest($3::bigint[], $4::bigint[]))`,
)

/** Tenant by tenant: each with a statement of its own, wherever its rows are in the table. */
export async function waitingScopes(
  database: Queryable,
  { after, rowsMax, limit }: Parameters<SearchStore['unindexed']>[0],
): Promise<UnindexedRef[]> {
  const found: UnindexedRef[] = []
  let from: { tenantId: string; memoryRef: string } | null = after
  while (found.length < limit) {
    if (from !== null) {
      const { tenantId, memoryRef } = from
      const values = [tenantId, memoryRef, rowsMax, limit - found.length]
      const rows = await query<{ memory_ref: string; rows: number }>(database, waitingSql.refs, values)
      found.push(...rows.map((row) => ({ tenantId, memoryRef: row.memory_ref, rows: row.rows })))
      if (found.length === limit) break
    }
    const [next] = await query<{ tenant_id: string }>(database, waitingSql.tenant, [from?.tenantId ?? ''])
    if (!next) break
    from = { tenantId: next.tenant_id, memoryRef: '' }
  }
  return found
}

const waitingSql = {
  tenant: statement(
    'search_waiting_tenant',
    `select tenant_id
       from search_waiting
      where tenant_id > $1
      order by tenant_id
      limit 1`,
  ),
  refs: statement(
    'search_waiting_refs',
    `with recursive refs as (
       (select memory_ref
          from search_waiting
         where tenant_id = $1
           and memory_ref > $2
         order by memory_ref
         limit 1)
        union all
       select next.memory_ref
         from refs s
        cross join lateral (
          select w.memory_ref
            from search_waiting w
           where w.tenant_id = $1
             and w.memory_ref > s.memory_ref
           order by w.memory_ref
           limit 1) next)
     select memory_ref,
            (select count(*) from (
              select 1 from search_waiting w
               where w.tenant_id = $1 and w.memory_ref = s.memory_ref
               limit $3) counted) as rows
       from refs s
      limit $4`,
  ),
}
