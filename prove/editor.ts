import { globSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import pg from 'pg'
import type { Place } from './place.ts'

/** An attacker with access to the database, who writes past the product. */
export type Row = Readonly<Record<string, unknown>>

export type Editor = {
  /** Parameters are `?`, whatever the database calls them. */
  all(sql: string, ...values: unknown[]): Promise<Row[]>
  run(sql: string, ...values: unknown[]): Promise<void>
  close(): Promise<void>
}

export async function openEditor(place: Place, table: string): Promise<Editor> {
  return place.databaseUrl === null ? openFile(place.folder, table) : openServer(place.databaseUrl)
}

function openFile(folder: string, table: string): Editor {
  for (const file of globSync('**/*.{db,sqlite,sqlite3}', { cwd: folder })) {
    const database = new Database(join(folder, file), { timeout: 10_000 })
    const found = database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table)
    if (found === undefined) {
      database.close()
      continue
    }
    return {
      all: async (sql, ...values) => database.prepare<unknown[], Row>(sql).all(...values),
      run: async (sql, ...values) => void database.prepare(sql).run(...values),
      close: async () => void database.close(),
    }
  }
  throw new Error(`No database with a table ${table} is there.`)
}

async function openServer(url: string): Promise<Editor> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const numbered = (sql: string) => {
    let number = 0
    return sql.replaceAll('?', () => `$${++number}`)
  }
  return {
    all: async (sql, ...values) => (await client.query<Row>(numbered(sql), values)).rows,
    run: async (sql, ...values) => void (await client.query(numbered(sql), values)),
    close: () => client.end(),
  }
}
