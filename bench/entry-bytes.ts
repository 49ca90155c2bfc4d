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

/** Bytes of every table, with its indexes and large values. */
export async function tablesOfPostgres(url: string): Promise<Sizes> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `select relname as name, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    )
    return new Map(rows.map(({ name, bytes }) => [name as string, Number(bytes)]))
  } finally {
    await client.end()
  }
}
