/** A wall clock in a time zone: month and weekday count from 1, Monday is 1. */
export type LocalTime = {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
}

const minuteMs = 60_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-u-ca-gregory', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  formats.set(timezone, format)
  return format
}

/** What the clock of a time zone shows at an instant. */
export function localTimeOf(instant: number, timezone: string): LocalTime {
  const parts = new Map(
    formatOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const part = (name: 'year' | 'month' | 'day' | 'hour' | 'minute') => parts.get(name) ?? 0
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') }
}

/**
 * The instant at which the clock of a time zone shows this time. Of two such instants (the clock was set back) the first; a time that the
 * clock skips is that much later.
 */
export function instantOfLocal(time: LocalTime, timezone: string): number {
  const wanted = asUtc(time)
  const around = [wanted - 24 * 60 * minuteMs, wanted + 24 * 60 * minuteMs].map(
    (instant) => asUtc(localTimeOf(instant, timezone)) - instant,
  )
  const candidates = around.map((offset) => wanted - offset).sort((a, b) => a - b)
  const exact = candidates.find((instant) => asUtc(localTimeOf(instant, timezone)) === wanted)
  return exact ?? candidates.at(-1) ?? wanted
}

/** The same time of day on another day. Days beyond the end of a month are days of the next one. */
export function addDays(time: LocalTime, days: number): LocalTime {
  const date = new Date(Date.UTC(time.year, time.month - 1, time.day + days))
  return { ...time, year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** The same day of another month, or the last one of a shorter month. */
export function addMonths(time: LocalTime, months: number): LocalTime {
  const first = new Date(Date.UTC(time.year, time.month - 1 + months, 1))
  const year = first.getUTCFullYear()
  const month = first.getUTCMonth() + 1
  return { ...time, year, month, day: Math.min(time.day, daysOf(year, month)) }
}

export function daysOf(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

/** Monday is 1, Sunday 7. */
export function weekdayOf({ year, month, day }: LocalTime): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7
}

function asUtc({ year, month, day, hour, minute }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute)
}
