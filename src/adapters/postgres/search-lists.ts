import type { EntryVersion } from '../../core/entries/entry.ts'
import { type Send, statement } from './connection.ts'
import { packRows, placeOf, removedBit, segmentOf, segmentRows } from './packed-rows.ts'

/** The lists of a ref: which rows have a key. A key is a term or a mark, and one cannot be taken for the other. */

export const termKey = (term: string) => `x${term}`
export const markKey = (mark: string) => `y${mark}`

export type ListedRow = { readonly nth: number; readonly terms: readonly string[]; readonly marks: readonly string[] }

export function keysOf({ terms, marks }: Pick<ListedRow, 'terms' | 'marks'>): string[] {
  return [...[...new Set(terms)].map(termKey), ...marks.map(markKey)]
}

/** Adds rows with rising numbers to the lists of their keys. The scope is held. */
export function addToLists(
  send: Send,
  tenantId: string,
  memoryRef: string,
  rows: readonly ListedRow[],
): Promise<unknown> {
  const lists = new Map<string, { key: string; segment: number; places: number[] }>()
  for (const row of rows) {
    const segment = segmentOf(row.nth)
    for (const key of keysOf(row)) {
      const name = `${segment} ${key}`
      const list = lists.get(name) ?? { key, segment, places: [] }
      lists.set(name, list)
      list.places.push(placeOf(row.nth))
    }
  }
  // In the order of the table, so that neighbours are written one after the other.
  const sorted = [...lists.values()].sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))
  return send(sql.add, [
    tenantId,
    memoryRef,
    sorted.map(({ key }) => key),
    sorted.map(({ segment }) => segment),
    sorted.map(({ places }) => places.length),
    sorted.map(({ places }) => packRows(places).toString('hex')),
  ])
}

/** Rows that one statement removes from their lists: each may be in ten thousand, and a statement has a timeout. */
const takenAtOnce = 10

/** Takes rows out of the lists that they are in by what is stored of them. The scopes are held. */
export function takeFromLists(
  send: Send,
  tenantId: string,
  entryIds: readonly string[],
  versions: readonly number[],
): Promise<unknown>[] {
  const steps = Math.ceil(entryIds.length / takenAtOnce)
  return Array.from({ length: steps }, (_, step) => {
    const [from, to] = [step * takenAtOnce, (step + 1) * takenAtOnce]
    return send(sql.take, [tenantId, entryIds.slice(from, to), versions.slice(from, to)])
  })
}

/** Puts a row back that was taken out, under other keys. */
export function returnToLists(
  send: Send,
  tenantId: string,
  { entryId, version }: EntryVersion,
  keys: readonly string[],
): Promise<unknown> {
  return send(sql.return, [tenantId, entryId, version, keys])
}

/** A piece for one row, as packed-rows.ts writes it. */
const piece = (kind: number) => `decode(lpad(to_hex(${kind} + r.nth % ${segmentRows}), 4, '0'), 'hex')`

const sql = {
  add: statement(
    'search_add_to_lists',
    `insert into search_list as l (tenant_id, memory_ref, key, stretch, row_count, rows)
     select $1, $2, r.key, r.stretch, r.row_count, decode(r.rows, 'hex')
       from unnest($3::text[], $4::integer[], $5::integer[], $6::text[]) as r (key, stretch, row_count, rows)
         on conflict (tenant_id, memory_ref, key, stretch) do update
        set row_count = l.row_count + excluded.row_count, rows = l.rows || excluded.rows`,
  ),
  // A list without rows is deleted with its key: no entry has the word any more.
  take: statement(
    'search_take_from_lists',
    `with taken as materialized (
       select r.memory_ref, k.key, (r.nth / ${segmentRows})::integer as stretch, count(*)::integer as row_count,
              string_agg(${piece(removedBit)}, ''::bytea) as rows
         from unnest($2::text[], $3::bigint[]) as gone (entry_id, version)
         join search_row r
           on r.tenant_id = $1
          and r.entry_id = gone.entry_id
          and r.version = gone.version
        cross join lateral (
          select 'x' || term as key from unnest(string_to_array(r.terms, ' ')) as term
           union
          select 'y' || mark from unnest(string_to_array(r.marks, ' ')) as mark) k
        group by r.memory_ref, k.key, r.nth / ${segmentRows}),
     emptied as (
       delete from search_list l
        using taken t
        where l.tenant_id = $1
          and l.memory_ref = t.memory_ref
          and l.key = t.key
          and l.stretch = t.stretch
          and l.row_count = t.row_count)
     update search_list l
        set row_count = l.row_count - t.row_count, rows = l.rows || t.rows
       from taken t
      where l.tenant_id = $1
        and l.memory_ref = t.memory_ref
        and l.key = t.key
        and l.stretch = t.stretch
        and l.row_count > t.row_count`,
  ),
  return: statement(
    'search_return_to_lists',
    `insert into search_list as l (tenant_id, memory_ref, key, stretch, row_count, rows)
     select $1, r.memory_ref, k.key, (r.nth / ${segmentRows})::integer, 1, ${piece(0)}
       from search_row r
      cross join unnest($4::text[]) as k (key)
      where r.tenant_id = $1
        and r.entry_id = $2
        and r.version = $3
         on conflict (tenant_id, memory_ref, key, stretch) do update
        set row_count = l.row_count + 1, rows = l.rows || excluded.rows`,
  ),
}
