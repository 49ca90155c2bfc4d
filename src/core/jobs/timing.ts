import { toInstant } from '../check.ts'

/**
 * When a schedule is due, as one text: a cron expression in UTC, one with a time zone (`CRON_TZ=Europe/Berlin 0 9 * * *`), or a single
 * instant (`@at 2026-03-01T09:00:00.000Z`).
 */
export type Timing =
  | { readonly kind: 'cron'; readonly cron: string; readonly timezone: string }
  | { readonly kind: 'at'; readonly at: number }

const zonePrefix = /^CRON_TZ=(\S+)\s+/
const atPrefix = '@at '

/** The time zone of a schedule that names none. */
export const defaultTimezone = 'UTC'

export function formatTiming(timing: Timing): string {
  if (timing.kind === 'at') return `${atPrefix}${toInstant(timing.at)}`
  return timing.timezone === defaultTimezone ? timing.cron : `CRON_TZ=${timing.timezone} ${timing.cron}`
}

export function parseTiming(text: string): Timing {
  if (text.startsWith(atPrefix)) return { kind: 'at', at: Date.parse(text.slice(atPrefix.length)) }
  const [prefix = '', timezone = defaultTimezone] = zonePrefix.exec(text) ?? []
  return { kind: 'cron', cron: text.slice(prefix.length), timezone }
}

/** Whether this runtime knows a time zone by its IANA name. */
export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[A-Za-z][\w+/-]*$/.test(name)
  } catch {
    return false
  }
}
