import { addDays, addMonths, daysOf, instantOfLocal, type LocalTime, localTimeOf, weekdayOf } from './zoned-time.ts'

/** A day as a sentence names it. */
export type DayExpression =
  | { readonly kind: 'days'; readonly days: number }
  | { readonly kind: 'weekday'; readonly weekday: number }
  | { readonly kind: 'date'; readonly day: number; readonly month: number; readonly year: number | null }
  | { readonly kind: 'later'; readonly amount: number; readonly unit: 'minute' | 'hour' | 'day' | 'week' | 'month' }

export type TimeExpression = { readonly hour: number; readonly minute: number }

/** The time of day of a sentence that names only a day. */
const defaultTime: TimeExpression = { hour: 9, minute: 0 }

/**
 * The instant that a day and a time of day mean in a sentence of `spokenAt`. Null when they mean none: no such date, no such time, or
 * a time that had passed already.
 */
export function resolveTime(
  day: DayExpression | null,
  time: TimeExpression | null,
  spokenAt: number,
  timezone: string,
): number | null {
  if (time !== null && (time.hour > 23 || time.minute > 59)) return null
  const now = localTimeOf(spokenAt, timezone)
  if (day?.kind === 'later' && (day.unit === 'minute' || day.unit === 'hour')) {
    if (time !== null) return null
    return spokenAt + day.amount * (day.unit === 'hour' ? 60 : 1) * 60_000
  }
  // A time without a day is one of today.
  const date = day === null ? now : dateOf(day, now)
  if (date === null) return null
  const clock = time ?? (day?.kind === 'later' ? now : defaultTime)
  const instant = instantOfLocal({ ...date, hour: clock.hour, minute: clock.minute }, timezone)
  return instant > spokenAt ? instant : null
}

function dateOf(day: DayExpression, now: LocalTime): LocalTime | null {
  if (day.kind === 'days') return addDays(now, day.days)
  if (day.kind === 'weekday') return addDays(now, ((day.weekday - weekdayOf(now) + 6) % 7) + 1)
  if (day.kind === 'later') {
    if (day.unit === 'month') return addMonths(now, day.amount)
    return addDays(now, day.amount * (day.unit === 'week' ? 7 : 1))
  }
  const { day: date, month, year } = day
  if (month < 1 || month > 12 || date < 1) return null
  const isPassed = month < now.month || (month === now.month && date < now.day)
  const full = { ...now, year: year ?? (isPassed ? now.year + 1 : now.year), month, day: date }
  return date <= daysOf(full.year, month) ? full : null
}
