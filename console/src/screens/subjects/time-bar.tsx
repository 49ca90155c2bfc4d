import { useEffect, useState } from 'react'
import { formatMoment, type PastMoment, pastMoments, useMoment } from '../../app/moment.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'
import { datesOf, placeOf, type Range } from './timeline.ts'

/** Delays requests while the bar is dragged. */
const settleMs = 150

type TimeBarProps = { readonly range: Range; readonly changes: readonly number[] }

/** A bar of real dates. Dragging it, its arrow keys (from change to change) and the presets choose the moment that the page shows. */
export function TimeBar({ range, changes }: TimeBarProps) {
  const [search, change] = useAddress()
  const moment = useMoment(search.asOf)
  const now = useMoment(undefined)
  const chosen = search.asOf === undefined ? range.to : Math.min(Date.parse(moment.data?.at ?? ''), range.to)
  const settled = Number.isNaN(chosen) ? range.to : chosen
  const [value, setValue] = useState(settled)
  useEffect(() => setValue(settled), [settled])
  useEffect(() => {
    if (value === settled) return
    const timer = setTimeout(() => change({ asOf: asOfOf(value, range) }, true), settleMs)
    return () => clearTimeout(timer)
  }, [value, settled, range, change])
  const text = value >= range.to ? 'now' : formatMoment({ at: new Date(value).toISOString() })
  return (
    <div>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        {pastMoments().map((preset) => (
          <Preset key={preset.name} preset={preset} oldest={now.data?.oldest.at} />
        ))}
        <output className="ml-auto text-sm whitespace-nowrap">
          {value >= range.to ? <span className="text-good">now</span> : text}
        </output>
      </div>
      <input
        type="range"
        aria-label="Moment"
        aria-valuetext={text}
        aria-describedby="time-bar-keys"
        className="m-0 block w-full cursor-grab accent-accent"
        min={range.from}
        max={range.to}
        step="any"
        value={value}
        onChange={(event) => setValue(Number(event.target.value))}
        onKeyDown={(event) => {
          const next = nextChange(event.key, value, changes, range)
          if (next === undefined) return
          event.preventDefault()
          setValue(next)
        }}
      />
      <p id="time-bar-keys" className="sr-only">
        The arrow keys go from change to change, End goes to now.
      </p>
      <div aria-hidden className="relative h-9 text-muted text-xs">
        {changes.map((at) => (
          <i key={at} className="absolute top-0 h-2.5 w-px bg-accent" style={{ left: `${placeOf(at, range)}%` }} />
        ))}
        {datesOf(range).map(({ at, text: date }) => (
          <span
            key={at}
            className="absolute top-3 -translate-x-1/2 border-line whitespace-nowrap odd:hidden sm:odd:inline"
            style={{ left: `clamp(2.25rem, ${placeOf(at, range)}%, 100% - 2.25rem)` }}
          >
            {date}
          </span>
        ))}
      </div>
    </div>
  )
}

function Preset({ preset, oldest }: { readonly preset: PastMoment; readonly oldest: string | undefined }) {
  const [, change] = useAddress()
  const { name, at } = preset
  const isTooEarly = at !== null && (oldest === undefined || at < Date.parse(oldest))
  const asOf = at === null ? undefined : new Date(at).toISOString()
  return (
    <Button
      small
      disabled={isTooEarly}
      title={isTooEarly ? 'Nothing was stored at that time.' : asOf}
      onClick={() => change({ asOf })}
    >
      {name}
    </Button>
  )
}

function asOfOf(value: number, { to }: Range): string | undefined {
  return value >= to ? undefined : new Date(value).toISOString()
}

/** Where a key moves the bar; undefined for other keys. */
function nextChange(key: string, value: number, changes: readonly number[], range: Range): number | undefined {
  // The moment after the change shows what it changed.
  const whole = Math.ceil(value)
  if (key === 'ArrowLeft' || key === 'ArrowDown') return changes.findLast((at) => at < whole) ?? range.from
  if (key === 'ArrowRight' || key === 'ArrowUp') return changes.find((at) => at > whole) ?? range.to
  if (key === 'Home') return changes[0] ?? range.from
  return key === 'End' ? range.to : undefined
}
