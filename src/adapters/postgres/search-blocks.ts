import type { EntryVersion } from '../../core/entries/entry.ts'
import { filterKeysOf } from '../../core/search/filter-keys.ts'
import { indexedTerms } from '../../core/search/indexed-terms.ts'
import { type Send, statement, tenantOfCall } from './connection.ts'
import { packRows, placeOf, segmentOf } from './packed-rows.ts'

/**
 * The keys of a row are its terms and its filter keys (marks), and one cannot be taken for the other. They are made of the version
 * whenever they are needed: nothing of them is stored beside the index.
 */
export const termKey = (term: string) => `x${term}`
export const markKey = (mark: string) => `y${mark}`

export function keysOf(version: EntryVersion): string[] {
  const terms = new Set(indexedTerms(version.content))
  return [...Array.from(terms, termKey), ...filterKeysOf(version).map(markKey)]
}

export type KeyedRow = { readonly nth: number; readonly keys: readonly string[] }

/** A search compares a key with all keys of a block, and a page of the table has room for two or three such blocks. */
const keysPerBlock = 96

/** Stores a batch of rows with rising numbers, as blocks of keys. The progress of the ref is locked. */
export function addBlocks(
  send: Send,
  tenantId: string,
  memoryRef: string,
  rows: readonly KeyedRow[],
): Promise<unknown>[] {
  const bySegment = Map.groupBy(rows, ({ nth }) => segmentOf(nth))
  return Array.from(bySegment, ([segment, batch]) => {
    const keys = sortedKeys(batch)
    const blocks = Array.from({ length: Math.ceil(keys.length / keysPerBlock) }, (_, at) =>
      keys.slice(at * keysPerBlock, (at + 1) * keysPerBlock),
    )
    return send(sql.add, [tenantId, memoryRef, batch.at(-1)?.nth, segment, JSON.stringify(blocks.map(toBlockRow))])
  })
}

type KeyPlaces = readonly [key: string, places: number[]]

/** Lists as PostgreSQL writes them. */
function toBlockRow(block: readonly KeyPlaces[]) {
  const keys = block.map(([key]) => key)
  return {
    first_key: keys[0],
    last_key: keys.at(-1),
    keys: arrayText(keys),
    row_counts: `{${block.map(([, places]) => places.length)}}`,
    rows: `{${block.map(([, places]) => `"\\\\x${packRows(places).toString('hex')}"`)}}`,
  }
}

/** Each key with the places of its rows, in the order of the database. */
function sortedKeys(rows: readonly KeyedRow[]): KeyPlaces[] {
  const places = new Map<string, number[]>()
  for (const { nth, keys } of rows) {
    for (const key of keys) {
      const known = places.get(key)
      if (known === undefined) places.set(key, [placeOf(nth)])
      else known.push(placeOf(nth))
    }
  }
  const compare = hasSurrogate(places.keys()) ? compareBytes : compareText
  return [...places].sort(([a], [b]) => compare(a, b))
}

const compareText = (a: string, b: string) => (a < b ? -1 : Number(a > b))
const compareBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** The database sorts by the bytes of UTF-8. UTF-16 sorts the same, except for characters of two units. */
function hasSurrogate(keys: Iterable<string>): boolean {
  for (const key of keys) if (/[\ud800-\udfff]/.test(key)) return true
  return false
}

function arrayText(texts: readonly string[]): string {
  const joined = texts.join('","')
  // Most keys need no escapes: looking once is cheaper than escaping each.
  const isPlain = !joined.includes('\\') && joined.split('"').length === 2 * texts.length - 1
  return `{"${isPlain ? joined : texts.map((text) => text.replaceAll(/["\\]/g, '\\$&')).join('","')}"}`
}

/** Batches that are kept as blocks. Beyond it, or with more keys, they are merged: a search goes through all of them. */
export const batchesMax = 16
export const blockKeysMax = 64_000

/** How many batches are kept as blocks, and how many keys they have. */
export function countBlocks(send: Send, tenantId: string, memoryRef: string) {
  return send<{ batches: number; keys: number }>(sql.count, [tenantId, memoryRef])
}

/** Merges the blocks of refs into their lists, so that each row is in one place only. Their progress is locked. */
export function mergeBlocks(send: Send, tenantId: string, memoryRefs: readonly string[]): Promise<unknown>[] {
  return [send(sql.merge, [tenantId, memoryRefs]), send(sql.remove, [tenantId, memoryRefs])]
}

const sql = {
  add: statement(
    'search_add_blocks',
    `insert into search_block (tenant_id, memory_ref, nth, stretch, first_key, last_key, keys, row_counts, rows)
     select c.tenant_id, $2, $3::bigint, $4::integer, b.first_key, b.last_key, b.keys::text[], b.row_counts::integer[], b.rows::bytea[]
       from ${tenantOfCall}, json_to_recordset($5::json)
         as b (first_key text, last_key text, keys text, row_counts text, rows text)`,
  ),
  count: statement(
    'search_count_blocks',
    `select count(distinct nth) as batches, coalesce(sum(cardinality(keys)), 0) as keys
       from search_block
      where tenant_id = $1
        and memory_ref = $2`,
  ),
  // In the order of the table, so that neighbours are written one after the other.
  merge: statement(
    'search_merge_blocks',
    `insert into search_list as l (tenant_id, memory_ref, key, stretch, row_count, rows)
     select b.tenant_id, b.memory_ref, k.key, b.stretch, sum(k.row_count), string_agg(k.rows, ''::bytea order by b.nth)
       from search_block b
      cross join lateral unnest(b.keys, b.row_counts, b.rows) as k (key, row_count, rows)
      where b.tenant_id = $1
        and b.memory_ref = any($2::text[])
      group by b.tenant_id, b.memory_ref, k.key, b.stretch
      order by b.memory_ref, k.key, b.stretch
         on conflict (tenant_id, memory_ref, key, stretch) do update
        set row_count = l.row_count + excluded.row_count, rows = l.rows || excluded.rows`,
  ),
  remove: statement(
    'search_remove_blocks',
    'delete from search_block where tenant_id = $1 and memory_ref = any($2::text[])',
  ),
}
