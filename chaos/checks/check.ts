import type { Caller } from '../caller.ts'
import type { Site, SiteTenant } from '../site.ts'

/** What must be so when everything is over. A check says how much it looked at, and what is wrong. */
export type Check = {
  readonly name: string
  readonly looked: number
  readonly problems: readonly string[]
}

export type Checked = { readonly looked: number; readonly problems: string[] }

export type TenantCheck = (tenant: SiteTenant, caller: Caller, site: Site) => Promise<Checked>

// biome-ignore lint/suspicious/noExplicitAny: a row is what the checks say it is.
export type Row = any

/** Every row of a paged list. */
export async function allRows(caller: Caller, path: string, member: string): Promise<Row[]> {
  const rows: Row[] = []
  for (let cursor = ''; ; ) {
    const more = cursor === '' ? '' : `${path.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`
    const page = await get(caller, path + more)
    rows.push(...page[member])
    cursor = page.cursor ?? ''
    if (cursor === '') return rows
  }
}

export async function get(caller: Caller, path: string): Promise<Row> {
  const answer = await caller.insist({ method: 'GET', path })
  if (answer?.status !== 200) throw new Error(`GET ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`)
  return answer.body
}

/** How two bags differ, in words: what should be there and is not, and what is there and should not. */
export function compare(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const item of expected) left.set(item, (left.get(item) ?? 0) + 1)
  for (const item of found) left.set(item, (left.get(item) ?? 0) - 1)
  return [...left].flatMap(([item, times]) => {
    if (times > 0) return [`${what} is lost: ${item}`]
    if (times < 0)
      return [`${what} is there ${expected.includes(item) ? 'twice' : 'though nobody asked for it'}: ${item}`]
    return []
  })
}

export const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
