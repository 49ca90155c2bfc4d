import type { Caller } from '../caller.ts'
import type { Site, SiteTenant } from '../site.ts'

/** What must hold when the load has ended. A check returns how many items it checked, and the problems. */
export type Check = {
  readonly name: string
  readonly checked: number
  readonly problems: readonly string[]
}

export type Checked = { readonly checked: number; readonly problems: string[] }

export type TenantCheck = (tenant: SiteTenant, caller: Caller, site: Site) => Promise<Checked>

// biome-ignore lint/suspicious/noExplicitAny: the checks decide what a row is.
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
  const answer = await caller.callUntilAnswered({ method: 'GET', path })
  if (answer?.status !== 200) throw new Error(`GET ${path}: ${answer?.status} ${JSON.stringify(answer?.body)}`)
  return answer.body
}

/** How two multisets differ, in words: what is missing, and what is unexpected. */
export function compare(what: string, found: readonly string[], expected: readonly string[]): string[] {
  const left = new Map<string, number>()
  for (const item of expected) left.set(item, (left.get(item) ?? 0) + 1)
  for (const item of found) left.set(item, (left.get(item) ?? 0) - 1)
  return [...left].flatMap(([item, times]) => {
    if (times > 0) return [`${what} is lost: ${item}`]
    if (times < 0) return [`${what} is there ${expected.includes(item) ? 'twice' : 'though no call made it'}: ${item}`]
    return []
  })
}

export const shorten = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text)
