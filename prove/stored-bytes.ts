import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { Place } from './place.ts'

/** Everything that is kept at a place, as bytes: all files of the folder, and all columns of all tables of the database. */
export async function storedBytes(place: Place): Promise<Buffer> {
  return Buffer.concat([...filesOf(place.folder), ...(await rowsOf(place.databaseUrl))])
}

function filesOf(folder: string): Buffer[] {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true }).map(String) : []
  return names.flatMap((name) => {
    const path = join(folder, name)
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? [readFileSync(path)] : []
  })
}

async function rowsOf(url: string | null): Promise<Buffer[]> {
  if (url === null) return []
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'`,
    )
    const found: Buffer[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`)
      found.push(...rows.map(({ row }) => Buffer.from(`${row}\n`)))
    }
    return found
  } finally {
    await client.end()
  }
}

/** Whether a text is in there: in UTF-8 or UTF-16, or as a column of bytes shows it. */
export function hasText(bytes: Buffer, text: string): boolean {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(Buffer.from(text).toString('hex'))]
  return forms.some((form) => bytes.includes(form))
}
