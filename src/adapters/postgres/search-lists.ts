import { rowByKey } from './commit-rows.ts'
import { lists, type Send, statement } from './connection.ts'
import { removedBit, segmentRows } from './packed-rows.ts'
import type { KeyedRow } from './search-blocks.ts'

/** The lists of a ref: which rows have a key. The progress of the ref is locked, and its blocks are merged into the lists. */

export type ListedRow = KeyedRow & { readonly memoryRef: string }

/** Rows that one statement removes from their lists: each may be in ten thousand, and a statement has a timeout. */
const takenAtOnce = 10

/** Takes rows out of the lists of their keys. Rows that are not indexed yet are in none. */
export function takeFromLists(send: Send, tenantId: string, rows: readonly ListedRow[]): Promise<unknown>[] {
  const steps = Math.ceil(rows.length / takenAtOnce)
  return Array.from({ length: steps }, (_, step) => {
    const values = [tenantId, ...columnsOf(rows.slice(step * takenAtOnce, (step + 1) * takenAtOnce))]
    return [send(sql.removeEmptied, values), send(sql.take, values)]
  }).flat()
}

/** Puts a row back that was taken out, under other keys. */
export function returnToLists(send: Send, tenantId: string, row: ListedRow): Promise<unknown> {
  return send(sql.return, [tenantId, ...columnsOf([row])])
}

function columnsOf(rows: readonly ListedRow[]): [refs: string[], nths: number[], keys: string[]] {
  return [
    rows.flatMap(({ memoryRef, keys }) => keys.map(() => memoryRef)),
    rows.flatMap(({ nth, keys }) => keys.map(() => nth)),
    rows.flatMap(({ keys }) => keys),
  ]
}

/** A piece for one row, as packed-rows.ts writes it. */
const piece = (kind: number) => `decode(lpad(to_hex(${kind} + r.nth % ${segmentRows}), 4, '0'), 'hex')`

const indexedRows = `unnest(${lists('$2::text', '$3::bigint', '$4::text')}) as r (memory_ref, nth, key)
         join search_progress p
           on p.tenant_id = $1
          and p.memory_ref = r.memory_ref
          and r.nth <= p.indexed`

/** How many of the rows each list has, and the pieces that remove them. */
const taken = `taken as materialized (
       select r.memory_ref, r.key, (r.nth / ${segmentRows})::integer as stretch, count(*)::integer as row_count,
              string_agg(${piece(removedBit)}, ''::bytea) as rows
         from ${indexedRows}
        group by r.memory_ref, r.key, r.nth / ${segmentRows})`

/** The list of each key. The progress of the ref is locked, so its place does not change. */
const listOf = (taken: string) =>
  rowByKey(
    'search_list',
    `keyed.memory_ref = ${taken}.memory_ref and keyed.key = ${taken}.key and keyed.stretch = ${taken}.stretch`,
  )

const sql = {
  // A list without rows is deleted with its key: no entry has the word any more.
  removeEmptied: statement(
    'search_remove_emptied_lists',
    `with ${taken}
     delete from search_list l
      using taken t, ${listOf('t')} as found
      where l.tenant_id = $1
        and l.ctid = found.ctid
        and found.row_count = t.row_count`,
  ),
  take: statement(
    'search_take_from_lists',
    `with ${taken}
     update search_list l
        set row_count = l.row_count - t.row_count, rows = l.rows || t.rows
       from taken t, ${listOf('t')} as found
      where l.tenant_id = $1
        and l.ctid = found.ctid
        and found.row_count > t.row_count`,
  ),
  return: statement(
    'search_return_to_lists',
    `insert into search_list as l (tenant_id, memory_ref, key, stretch, row_count, rows)
     select p.tenant_id, r.memory_ref, r.key, (r.nth / ${segmentRows})::integer, 1, ${piece(0)}
       from ${indexedRows}
         on conflict (tenant_id, memory_ref, key, stretch) do update
        set row_count = l.row_count + 1, rows = l.rows || excluded.rows`,
  ),
}
