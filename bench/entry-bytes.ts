import Database from 'better-sqlite3'
import pg from 'pg'

type Sizes = ReadonlyMap<string, number>

const total = (sizes: Sizes) => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)

export const bytesOfSqlite = (path: string) => total(tablesOfSqlite(path))
export const bytesOfPostgres = async (url: string) => total(await tablesOfPostgres(url))

/** Bytes of every table and index. */
export function tablesOfSqlite(path: string): Sizes {
  const db = new Database(path)
  try {
    db.pragma('wal_checkpoint(truncate)')
    const rows = db.prepare('select name, sum(pgsize) as bytes from dbstat group by name').all()
    return new Map((rows as { name: string; bytes: number }[]).map(({ name, bytes }) => [name, bytes]))
  } finally {
    db.close()
  }
}

/** Bytes of all indexes, the full-text index included. */
export function indexBytesOfSqlite(path: string): number {
  const db = new Database(path)
  try {
    const rows = db.prepare(
      `select sum(s.pgsize) as bytes
         from dbstat s
         join sqlite_schema n on n.name = s.name
        where n.type = 'index' or n.name like 'search_key%'`,
    )
    return (rows.get() as { bytes: number }).bytes
  } finally {
    db.close()
  }
}

export async function indexBytesOfPostgres(url: string): Promise<number> {
  const [row] = await rowsOf(
    url,
    `select sum(pg_relation_size(oid)) as bytes from pg_class where relkind = 'i' and relnamespace = 'public'::regnamespace`,
  )
  return Number(row?.bytes)
}

/** Bytes of every table, with its indexes and large values. */
export async function tablesOfPostgres(url: string): Promise<Sizes> {
  const rows = await rowsOf(
    url,
    `select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]))
}

export async function rowsOf(url: string, sql: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
