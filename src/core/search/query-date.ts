const months = 'january february march april may june july august september october november december'.split(' ')
const dayMs = 24 * 60 * 60 * 1_000

/** A date that a query names: at least a month or a year. */
export type QueryDate = { readonly year: number | null; readonly month: number | null; readonly day: number | null }

const monthPattern = new RegExp(`\\b(${months.join('|')})\\b`, 'i')
/** "May" without such a context is usually a verb. */
const mayAsMonth = /\b(?:in|on|of|since|until|during|by|early|late|mid|\d+(?:st|nd|rd|th)?)[ -]+may\b|\bmay,? \d/i

/** The date that a query names; null when it names none. */
export function queryDateOf(query: string): QueryDate | null {
  const year = /\b((?:19|20)\d\d)\b/.exec(query)?.[1]
  const name = monthPattern.exec(query)?.[1]?.toLowerCase()
  const month = name === undefined || (name === 'may' && !mayAsMonth.test(query)) ? null : months.indexOf(name)
  if (month === null && year === undefined) return null
  return { year: year === undefined ? null : Number(year), month, day: month === null ? null : dayOf(query, name) }
}

function dayOf(query: string, month = ''): number | null {
  const before = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?,? (?:of )?${month}\\b`, 'i').exec(query)
  const after = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?\\b`, 'i').exec(query)
  const day = before?.[1] ?? after?.[1]
  return day === undefined ? null : Number(day)
}

/** How well an instant matches a date of the query, from 0 to 1. Messages soon after a day are often about that day. */
export function dateScore(date: QueryDate, observedAt: number): number {
  const observed = new Date(observedAt)
  if (Number.isNaN(observed.getTime())) return 0
  const { month, day, year = null } = date
  if (month === null) return year === observed.getUTCFullYear() ? 0.25 : 0
  const since = (observedAt - Date.UTC(year ?? observed.getUTCFullYear(), month, day ?? 1)) / dayMs
  const length = day === null ? 31 : 1
  if (since >= 0 && since < length) return 1
  return since >= -1 && since < length + 10 ? 0.5 : 0
}
