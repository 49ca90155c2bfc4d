import type { IndexFilter } from '../../core/search/index-filter.ts'
import type { QueryTerm } from '../../core/search/query.ts'
import { lists, type Queryable, query, statement } from './connection.ts'
import { appendNewest, inBoth, inEither, type Places, segmentOf, unpackAny, unpackRows } from './packed-rows.ts'
import { markKey, termKey } from './search-blocks.ts'

const afterEveryTerm = '\u{10ffff}'

type RefQuery = { readonly tenantId: string; readonly memoryRef: string; readonly newest: number }
type NewestRows = readonly { readonly rows: readonly number[]; readonly narrowed: readonly number[] }[]
type WantedTerm = { readonly term: QueryTerm; readonly max: number }
/** The rows of a key, by segment. */
type List = ReadonlyMap<number, Places>
type Lists = ReadonlyMap<string, List>
type Finding = WantedTerm & { readonly rows: number[]; readonly narrowed: number[]; readonly isNarrowed: boolean }

/** Segments that are read at first: enough for a hundred thousand rows. Then twice as many each time. */
const segmentsAtFirst = 32
const segmentsMax = 1_024
/** A prefix may match as many words as there are rows: so no more is read than a common one needs. */
const segmentsOfPrefixes = 8

/**
 * The newest rows of each term, and of those the ones within the narrowing, up to the term's limit and not beyond `newest`. Null
 * when not all rows up to there are indexed any more: another process builds the index of the ref again.
 */
export async function newestRows(
  database: Queryable,
  { tenantId, memoryRef, newest }: RefQuery,
  terms: readonly WantedTerm[],
  narrowing: IndexFilter | null,
): Promise<NewestRows | null> {
  const canFit = narrowing?.marks.every((any) => any.length > 0) ?? false
  const findings = terms.map((one): Finding => ({ ...one, rows: [], narrowed: [], isNarrowed: canFit }))
  const isOpen = ({ rows, narrowed, isNarrowed, max }: Finding) =>
    rows.length < max || (isNarrowed && narrowed.length < max)
  let segments = terms.some(({ term }) => term.prefix) ? segmentsOfPrefixes : segmentsAtFirst
  for (let last = segmentOf(newest); last >= 0; last -= segments, segments = Math.min(2 * segments, segmentsMax)) {
    const open = findings.filter(isOpen)
    if (open.length === 0) break
    const first = Math.max(0, last - segments + 1)
    const where = [tenantId, memoryRef, first, last]
    const [lists, ofPrefixes] = await Promise.all([
      readLists(database, where, open, newest, canFit ? narrowing : null),
      readPrefixes(database, where, open),
    ])
    if (lists === null) return null
    const within = canFit && narrowing !== null ? rowsWithin(narrowing, lists) : new Map()
    for (const finding of open) {
      const { term } = finding
      const list = term.prefix ? ofPrefixes.get(term.stem) : lists.get(termKey(term.stem))
      if (list !== undefined) follow(finding, list, within, newest)
    }
  }
  return findings
}

/** Adds the rows that a term has in some segments, newest first. */
function follow({ rows, narrowed, isNarrowed, max }: Finding, list: List, within: List, newest: number): void {
  for (const segment of [...list.keys()].sort((a, b) => b - a)) {
    const places = list.get(segment) as Places
    if (rows.length < max) appendNewest(rows, places, segment, newest, max)
    const wanted = within.get(segment)
    if (isNarrowed && wanted && narrowed.length < max)
      appendNewest(narrowed, inBoth(places, wanted), segment, newest, max)
  }
}

function narrowingKeys({ marks, terms }: IndexFilter): string[][] {
  return [...marks.map((any) => any.map(markKey)), ...terms.map((term) => [termKey(term)])]
}

/** The rows that have a key of each of the lists that are wanted. */
function rowsWithin(narrowing: IndexFilter, lists: Lists): List {
  const [first = new Map(), ...others] = narrowingKeys(narrowing).map((keys) =>
    unite(keys.flatMap((key) => lists.get(key) ?? [])),
  )
  return others.reduce<List>(intersect, first)
}

function unite(lists: readonly List[]): List {
  const all = new Map<number, Places>()
  for (const list of lists) {
    for (const [segment, places] of list) {
      const known = all.get(segment)
      all.set(segment, known === undefined ? places : inEither(known, places))
    }
  }
  return all
}

function intersect(a: List, b: List): List {
  const common = new Map<number, Places>()
  for (const [segment, places] of a) {
    const other = b.get(segment)
    if (other !== undefined) common.set(segment, inBoth(places, other))
  }
  return common
}

type ListRow = { readonly indexed: number; readonly key: string | null; readonly packed: string }

async function readLists(
  database: Queryable,
  where: readonly unknown[],
  terms: readonly WantedTerm[],
  newest: number,
  narrowing: IndexFilter | null,
): Promise<Lists | null> {
  const keys = terms.flatMap(({ term }) => (term.prefix ? [] : [termKey(term.stem)]))
  if (narrowing !== null) keys.push(...narrowingKeys(narrowing).flat())
  const rows = await query<ListRow>(database, sql.read, [...where, [...new Set(keys)]])
  if ((rows[0]?.indexed ?? 0) < newest) return null
  return new Map(rows.flatMap(({ key, packed }) => (key === null ? [] : [[key, toList(packed)]])))
}

type PrefixRow = { readonly nth: number; readonly stretch: number; readonly packed: Buffer }

/** By prefix the rows of all words that begin with it, joined segment by segment: there may be very many words. */
async function readPrefixes(
  database: Queryable,
  where: readonly unknown[],
  terms: readonly WantedTerm[],
): Promise<ReadonlyMap<string, List>> {
  const stems = terms.flatMap(({ term }) => (term.prefix ? [term.stem] : []))
  if (stems.length === 0) return new Map()
  const ends = stems.map((stem) => termKey(stem + afterEveryTerm))
  const rows = await query<PrefixRow>(database, sql.readPrefixes, [...where, stems.map(termKey), ends])
  const found = Map.groupBy(rows, ({ nth }) => stems[nth - 1] ?? '')
  return new Map(
    [...found].map(([stem, rows]) => [stem, new Map(rows.map(({ stretch, packed }) => [stretch, unpackAny(packed)]))]),
  )
}

/** A key has several pieces in a segment: that of its list, and one for each batch that is still in blocks. */
function toList(packed: string): List {
  const list = new Map<number, Places>()
  for (const piece of packed.split(' ')) {
    const [segment = '', rows = ''] = piece.split(':')
    const places = unpackRows(Buffer.from(rows, 'hex'))
    const known = list.get(Number(segment))
    list.set(Number(segment), known === undefined ? places : inEither(known, places))
  }
  return list
}

const inSegments = `tenant_id = $1
             and memory_ref = $2
             and stretch between $3 and $4`

const sql = {
  // Lists and blocks from one moment: a batch is moved from these to those. Each list is found by its key: before version 17 and without
  // statistics, `= any` reads all lists of the ref.
  read: statement(
    'search_read_lists',
    `select p.indexed, found.key, found.packed
       from search_progress p
       left join lateral (
         select key, string_agg(stretch || ':' || encode(rows, 'hex'), ' ') as packed
           from (select asked.key, stretch, rows
                   from unnest(${lists('$5::text')}) as asked (key),
                        lateral (select stretch, rows from search_list where ${inSegments} and key = asked.key offset 0) as list
                  union all
                 select asked.key, stretch, rows[array_position(keys, asked.key)]
                   from search_block
                  cross join unnest(${lists('$5::text')}) as asked (key)
                  where ${inSegments}
                    and asked.key collate "C" between first_key and last_key) as piece
          where rows is not null
          group by key) as found on true
      where p.tenant_id = $1
        and p.memory_ref = $2`,
  ),
  readPrefixes: statement(
    'search_read_lists_of_prefixes',
    `select asked.nth, found.stretch, found.packed
       from unnest(${lists('$5::text', '$6::text')}) with ordinality as asked (low, high, nth)
      cross join lateral (
        select stretch, string_agg(int4send(length(rows)) || rows, ''::bytea) as packed
          from (select stretch, rows
                  from search_list
                 where ${inSegments}
                   and key >= asked.low
                   and key < asked.high
                 union all
                select b.stretch, k.rows
                  from search_block b
                 cross join lateral unnest(b.keys, b.rows) as k (key, rows)
                 where ${inSegments}
                   and b.last_key >= asked.low
                   and b.first_key < asked.high
                   and k.key >= asked.low
                   and k.key < asked.high) as piece
         group by stretch) as found`,
  ),
}
