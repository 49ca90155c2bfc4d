import { useMemo } from 'react'
import type { Stats } from '../../../../src/client/index.ts'
import { type Hour, hoursOf } from './hours.ts'

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => hour)
const dayName = new Intl.DateTimeFormat(undefined, { weekday: 'short', day: 'numeric' })

/** Changes by day (rows) and hour (columns), in the local time zone. */
export function HeatMap({ stats }: { readonly stats: Stats }) {
  const days = useMemo(() => byDay(hoursOf(stats)), [stats])
  const most = Math.max(1, ...days.flatMap(({ hours }) => hours.map((changes) => changes ?? 0)))
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard.
    <section className="relative overflow-x-auto p-4" tabIndex={0} aria-label="Changes by day and hour">
      <table className="text-xs">
        <caption className="sr-only">Changes by day and hour</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="sr-only">Day</span>
            </th>
            {hoursOfDay.map((hour) => (
              <th key={hour} scope="col" className="w-6 font-normal text-muted">
                {hour % 3 === 0 ? hour : <span className="sr-only">{hour}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days.map(({ name, hours }) => (
            <tr key={name}>
              <th scope="row" className="pr-2 text-left font-normal whitespace-nowrap text-muted">
                {name}
              </th>
              {hoursOfDay.map((hour) => (
                <td key={hour} className="p-px" title={hours[hour] === null ? undefined : `${hours[hour]} changes`}>
                  <span
                    className="block size-5 rounded-sm bg-sunken"
                    style={{ backgroundColor: shade(hours[hour] ?? null, most) }}
                  >
                    <span className="sr-only">{hours[hour] ?? 'no data'}</span>
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function shade(changes: number | null, most: number): string | undefined {
  if (changes === null) return 'transparent'
  if (changes === 0) return undefined
  // On a logarithmic scale, so that a few changes are visible beside many.
  const strength = 15 + 85 * (Math.log1p(changes) / Math.log1p(most))
  return `color-mix(in srgb, var(--accent) ${strength.toFixed(0)}%, transparent)`
}

function byDay(hours: readonly Hour[]): { name: string; hours: (number | null)[] }[] {
  const days = new Map<string, (number | null)[]>()
  for (const { at, changes } of hours) {
    const date = new Date(at)
    const name = dayName.format(date)
    const row = days.get(name) ?? new Array<number | null>(24).fill(null)
    row[date.getHours()] = (row[date.getHours()] ?? 0) + changes
    days.set(name, row)
  }
  return [...days].map(([name, row]) => ({ name, hours: row }))
}
