const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

/** The relative time, such as "2 hours ago". */
function ago(instant: string, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1000
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return relative.format(Math.round(seconds / size), unit)
  }
  return relative.format(Math.round(seconds), 'second')
}

/** An instant in the local time zone. The exact UTC form is in the title. */
export function Time({ at, short = false }: { readonly at: string | null | undefined; readonly short?: boolean }) {
  if (at === null || at === undefined) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} title={at} className="whitespace-nowrap">
      {short ? ago(at) : local.format(new Date(at))}
    </time>
  )
}
