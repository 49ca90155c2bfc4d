import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './databases.ts'
import type { Home } from './server.ts'

/** One way to write a value: a text that contains it, and the part of that text which would reveal it. */
export type Form = { readonly name: string; readonly text: string; readonly core: string }

/** A value without a known format, with characters that every encoding treats differently. */
export function secretValue(): string {
  const random = () => randomBytes(6).toString('base64url').replaceAll(/[-_]/g, 'q')
  return `Zq/${random()} &"'<+=é\u{1f511}~${random()}`
}

/** A value of letters, digits and dashes, which can stand in paths, headers and markers. */
export function plainSecretValue(): string {
  return `zq-${randomBytes(9).toString('hex')}-q`
}

/** Written independently of the product's own list. */
export function formsOf(value: string): Form[] {
  const json = JSON.stringify(value).slice(1, -1)
  const ascii = json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  const url = encodeURIComponent(value)
  const form = new URLSearchParams({ v: value }).toString().slice(2)
  const texts: Record<string, string> = {
    plain: value,
    json,
    'json in ASCII': ascii,
    url,
    form,
    hex: Buffer.from(value).toString('hex'),
    'full width': value.replaceAll(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
    'zero width': [...value].join('\u200b'),
    'HTML entities': Array.from(value, (char) => `&#${char.codePointAt(0)};`).join(''),
    'UTF-16 base64': Buffer.from(value, 'utf16le').toString('base64').replace(/=+$/, ''),
  }
  const lower = url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
  const simple = Object.entries({ ...texts, 'url in lower case': lower }).map(([name, text]) => ({
    name,
    text,
    core: text,
  }))
  return [...simple, ...[0, 1, 2].flatMap((shift) => base64Forms(value, shift))]
}

function base64Forms(value: string, shift: number): Form[] {
  const bytes = Buffer.concat([Buffer.alloc(shift, 'x'), Buffer.from(value), Buffer.from('more text')])
  const first = Math.ceil((shift * 8) / 6)
  const last = Math.floor(((shift + Buffer.byteLength(value)) * 8) / 6)
  return (['base64', 'base64url'] as const).map((encoding) => {
    const text = bytes.toString(encoding)
    return { name: `${encoding} shifted by ${shift}`, text, core: text.slice(first, last) }
  })
}

/** Every byte that a server keeps: all files of its folder, and all rows of its database. */
export async function storedBytes(home: Home): Promise<string> {
  const names = existsSync(home.dataDir) ? readdirSync(home.dataDir) : []
  const files = names.map((name) => readFileSync(join(home.dataDir, name)).toString('latin1'))
  return [...files, ...(await storedRows(home.env.COLOPHON_DATABASE_URL))].join('\n')
}

async function storedRows(url: string | undefined): Promise<string[]> {
  if (url === undefined) return []
  const tables = await run(
    url,
    "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'",
  )
  const rows = await Promise.all(tables.map(({ name }) => run(url, `select t::text as row from ${name} t`)))
  // In the same form as the bytes of a file.
  return rows.flat().map(({ row }) => Buffer.from(String(row)).toString('latin1'))
}

/** Whether a text or bytes contain a value, in any form. */
export function holds(text: string, value: string): boolean {
  return formsOf(value).some(({ core }) => text.includes(core) || text.includes(Buffer.from(core).toString('latin1')))
}
