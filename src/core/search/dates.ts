const months = 'january february march april may june july august september october november december'.split(' ')
const dayMs = 24 * 60 * 60 * 1_000

/** A date as a question says it: at least a month or a year. */
export type AskedDate = { readonly year: number | null; readonly month: number | null; readonly day: number | null }

const monthPattern = new RegExp(`\\b(${months.join('|')})\\b`, 'i')
/** "May" alone is mostly a verb. */
const mayAsMonth = /\b(?:in|on|of|since|until|during|by|early|late|mid|\d+(?:st|nd|rd|th)?)[ -]+may\b|\bmay,? \d/i

export function askedDateOf(question: string): AskedDate | null {
  const year = /\b((?:19|20)\d\d)\b/.exec(question)?.[1]
  const name = monthPattern.exec(question)?.[1]?.toLowerCase()
  const month = name === undefined || (name === 'may' && !mayAsMonth.test(question)) ? null : months.indexOf(name)
  if (month === null && year === undefined) return null
  return { year: year === undefined ? null : Number(year), month, day: month === null ? null : dayOf(question, name) }
}

function dayOf(question: string, month = ''): number | null {
  const before = new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?,? (?:of )?${month}\\b`, 'i').exec(question)
  const after = new RegExp(`\\b${month} (\\d{1,2})(?:st|nd|rd|th)?\\b`, 'i').exec(question)
  const day = before?.[1] ?? after?.[1]
  return day === undefined ? null : Number(day)
}

/** How well the moment fits a date that was asked, up to 1. What was said soon after a day is often about that day. */
export function dateFit(asked: AskedDate, observedAt: number): number {
  const date = new Date(observedAt)
  if (Number.isNaN(date.getTime())) return 0
  const { month, day, year = null } = asked
  if (month === null) return year === date.getUTCFullYear() ? 0.25 : 0
  const since = (observedAt - Date.UTC(year ?? date.getUTCFullYear(), month, day ?? 1)) / dayMs
  const length = day === null ? 31 : 1
  if (since >= 0 && since < length) return 1
  return since >= -1 && since < length + 10 ? 0.5 : 0
}
