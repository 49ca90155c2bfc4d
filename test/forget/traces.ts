import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/databases.ts'
import type { Home } from '../support/server.ts'

/** Where a text is left in what a host keeps. */

/** Every file of the data folder that has the text, or a part of it that is long enough, in UTF-8 or UTF-16. */
function filesWith(folder: string, text: string, partCharacters = 12): string[] {
  const parts: Buffer[] = []
  // From the end: what leads a planted text is a plain word.
  for (let from = text.length - partCharacters; from >= 0; from -= Math.ceil(partCharacters / 2)) {
    const part = text.slice(from, from + partCharacters)
    parts.push(Buffer.from(part, 'utf8'), Buffer.from(part, 'utf16le'))
  }
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(folder, name)).isFile())
  return files.filter((name) => {
    const bytes = readFileSync(join(folder, name))
    return parts.some((part) => bytes.includes(part))
  })
}

/** Every column of every table of PostgreSQL that has the text, whatever its type; one statement for all of them. */
async function columnsWith(url: string, text: string): Promise<string[]> {
  const columns = await run(
    url,
    "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public'",
  )
  const looks = columns.map(({ table_name: table, column_name: column, data_type: type }) => {
    const asText = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    return `select '${table}.${column}' as place where exists (select 1 from "${table}" where ${asText} like $1)`
  })
  const statistics = `select 'statistics of ' || tablename || '.' || attname from pg_stats where most_common_vals::text like $1`
  const found = await run(url, [...looks, statistics].join(' union all '), [`%${text}%`])
  return found.map(({ place }) => String(place))
}

export async function tracesOf(home: Home, text: string): Promise<string[]> {
  const url = home.env.COLOPHON_DATABASE_URL
  return url === undefined ? filesWith(home.dataDir, text) : columnsWith(url, text)
}
