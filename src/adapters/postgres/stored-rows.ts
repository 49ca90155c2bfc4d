import { invariant } from '../../core/invariant.ts'
import type { RowPage, StoredRow, StoredRows, StoredTable, StoredTag } from '../../ports/stored-rows.ts'
import type { Row } from '../sql/row-codec.ts'
import { pageStatement, storedTables, toStored } from '../sql/stored-rows.ts'
import { type Queryable, query, type SqlStatement, statement, unnamedStatement } from './connection.ts'
import { isOfTenant, ordinalOfPlace, positionOfPlace, recordedOf, tagKey } from './tag-rows.ts'

/** What comes before every number fits no column of four bytes. */
const page = (table: StoredTable): SqlStatement =>
  statement(
    `stored_${table.toLowerCase()}`,
    pageStatement(table, (number) =>
      typeof storedTables[table].before[number - 2] === 'number' ? `$${number}::bigint` : `$${number}`,
    ),
  )

const statements = Object.fromEntries(
  Object.keys(storedTables)
    .filter((table) => table !== 'tags')
    .map((table) => [table, page(table as StoredTable)]),
) as Record<Exclude<StoredTable, 'tags'>, SqlStatement>

/**
 * All rows of the tags of a tenant, in any order: what they are compared with is a sum. A cursor reads them once, and it lasts as long as the transaction of the
 * snapshot. Pages by key would depend on the planner, which knows nothing of these rows and might sort all of them for each page.
 */
const openTags = unnamedStatement(`declare stored_tags no scroll cursor for
   select t.tag_key::text as name, ${positionOfPlace('t.place')} as created_position, ${ordinalOfPlace('t.place')} as ordinal, t.version,
          ${recordedOf('t')} as recorded_position, t.ended_position
     from entry_tag t
    where t.tenant_id = $1
      and ${isOfTenant('t.tag_key', '$1')}`)
const closeTags = unnamedStatement('close stored_tags')
const fetchTags = (limit: number) => unnamedStatement(`fetch ${limit} from stored_tags`)

type TagRow = {
  name: string
  created_position: number
  ordinal: number
  version: number
  recorded_position: number
  ended_position: number | null
}

const toStoredTag = (row: TagRow, nth: number): StoredRow<StoredTag> => ({
  key: [nth],
  row: {
    name: row.name,
    createdPosition: row.created_position,
    ordinal: row.ordinal,
    version: row.version,
    recordedPosition: row.recorded_position,
    endedPosition: row.ended_position,
  },
})

/**
 * Small rows are read many at once: a page is a round trip, and the process goes on meanwhile. Others stay at what `verify` asks for: an audit record may
 * name a thousand entries, and a source event has its messages.
 */
const pageRows = { versions: 200, tags: 400, assertions: 200 } as const

export function createStoredRows(session: Queryable): StoredRows {
  /** How many rows of tags were read; null while there is no cursor. */
  let read: number | null = null
  /** The key of a row is its number: a page begins where the one before ended. */
  async function tagPage({ tenantId, after, limit }: RowPage): Promise<StoredRow<StoredTag>[]> {
    if (after === null) {
      if (read !== null) await query(session, closeTags, [])
      await query(session, openTags, [tenantId])
      read = 0
    }
    const first = read ?? 0
    invariant(after === null || after[0] === first, 'the rows of tags are read in order')
    const rows = await query<TagRow>(session, fetchTags(limit), [])
    read = first + rows.length
    return rows.map((row, at) => toStoredTag(row, first + at + 1))
  }
  return {
    pageRows,
    tagName: tagKey,
    page: (async (table: StoredTable, asked: RowPage) => {
      if (table === 'tags') return tagPage(asked)
      const { tenantId, after, limit } = asked
      const from = after ?? storedTables[table].before
      const rows = await query<Row>(session, statements[table], [tenantId, ...from, limit])
      return rows.map((row) => toStored(table, row))
    }) as StoredRows['page'],
  }
}
