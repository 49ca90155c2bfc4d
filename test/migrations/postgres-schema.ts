import { run } from '../support/databases.ts'

/** The catalog as text: what a person would want to see in a review of a new migration. */
export async function describePostgres(url: string): Promise<string> {
  const lines: string[] = []
  const indexes = await readIndexes(url)
  for (const table of await readTables(url)) {
    lines.push(`table ${table}${await readOptions(url, table)}`)
    lines.push(...(await readColumns(url, table)).map((column) => `  ${column}`))
    for (const index of indexes.filter((candidate) => candidate.table === table)) {
      lines.push(index.isPrimaryKey ? `  primary key (${index.columns.join(', ')})` : `  ${index.definition}`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

export type PostgresIndex = {
  readonly table: string
  readonly name: string
  readonly isPrimaryKey: boolean
  readonly columns: readonly string[]
  readonly definition: string
}

export async function readTables(url: string): Promise<string[]> {
  const rows = await run(
    url,
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      order by relname collate "C"`,
  )
  return rows.map(({ relname }) => String(relname))
}

export async function readIndexes(url: string): Promise<PostgresIndex[]> {
  const rows = await run(
    url,
    `select i.tablename, i.indexname, i.indexdef, x.indisprimary,
            array(select pg_get_indexdef(x.indexrelid, n, true) from generate_series(1, x.indnkeyatts) as n) as columns
       from pg_indexes i
       join pg_index x
         on x.indexrelid = format('%I.%I', i.schemaname, i.indexname)::regclass
      where i.schemaname = 'public'
      order by i.tablename collate "C", not x.indisprimary, i.indexname collate "C"`,
  )
  return rows.map((row) => ({
    table: String(row.tablename),
    name: String(row.indexname),
    isPrimaryKey: row.indisprimary === true,
    columns: row.columns as string[],
    definition: String(row.indexdef).replaceAll('public.', ''),
  }))
}

async function readOptions(url: string, table: string): Promise<string> {
  const [row] = await run(
    url,
    `select array_to_string(reloptions, ', ') as options, relpersistence as persistence
       from pg_class
      where oid = $1::regclass`,
    [table],
  )
  return `${row?.persistence === 'u' ? ' unlogged' : ''}${row?.options ? ` with (${row.options})` : ''}`
}

async function readColumns(url: string, table: string): Promise<string[]> {
  const rows = await run(
    url,
    `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as required,
            nullif(c.collname, 'default') as collation, pg_get_expr(d.adbin, d.adrelid) as fallback,
            a.attstattarget as statistics,
            case when a.attstorage <> t.typstorage then case a.attstorage
              when 'p' then 'plain' when 'm' then 'main' when 'e' then 'external' when 'x' then 'extended' end end as storage
       from pg_attribute a
       join pg_type t on t.oid = a.atttypid
       left join pg_collation c on c.oid = a.attcollation
       left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = $1::regclass
        and a.attnum > 0
        and not a.attisdropped
      order by a.attnum`,
    [table],
  )
  return rows.map(({ name, type, required, collation, fallback, storage, statistics }) =>
    [
      name,
      type,
      collation && `collate ${collation}`,
      required && 'not null',
      fallback && `default ${fallback}`,
      storage && `storage ${storage}`,
      statistics === 0 && 'statistics 0',
    ]
      .filter(Boolean)
      .join(' '),
  )
}
