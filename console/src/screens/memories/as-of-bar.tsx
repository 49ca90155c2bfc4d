import { useEffect, useState } from 'react'
import { formatMoment, useMoment } from '../../app/moment.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'

/** Delays requests while the slider moves, so that a thousand positions are not a thousand requests. */
const settleMs = 150

const day = 86_400_000
const presets: readonly (readonly [name: string, ms: number])[] = [
  ['1 hour ago', 3_600_000],
  ['Yesterday', day],
  ['7 days ago', 7 * day],
]

/** Time travel: memory as it was at any position, with its date. */
export function AsOfBar() {
  const [search, change] = useAddress()
  const now = useMoment(undefined)
  const chosen = useMoment(search.asOf)
  const newest = now.data?.newest.position ?? 0
  const oldest = Math.min(now.data?.oldest.position ?? 0, newest)
  const position = search.asOf === undefined ? newest : (chosen.data?.position ?? newest)
  const [value, setValue] = useState(position)
  useEffect(() => setValue(position), [position])
  useEffect(() => {
    if (value === position) return
    const timer = setTimeout(() => change({ asOf: value >= newest ? undefined : String(value) }, true), settleMs)
    return () => clearTimeout(timer)
  }, [value, position, newest, change])
  const first = now.data?.oldest.at
  const reachable = presets.filter(([, ms]) => first !== undefined && Date.parse(first) <= Date.now() - ms)
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 py-1.5 text-xs">
      <label className="flex min-w-40 flex-1 items-center gap-3">
        <span className="whitespace-nowrap text-muted">Time</span>
        <input
          type="range"
          className="min-w-0 flex-1 accent-accent"
          min={Math.max(oldest - 1, 0)}
          max={newest}
          value={Math.min(value, newest)}
          aria-valuetext={chosen.data === undefined ? undefined : formatMoment(chosen.data)}
          onChange={(event) => setValue(Number(event.target.value))}
        />
      </label>
      <output className="text-right whitespace-nowrap">
        {search.asOf === undefined ? (
          <span className="text-good">now</span>
        ) : (
          chosen.data !== undefined && formatMoment(chosen.data)
        )}
      </output>
      {reachable.map(([name, ms]) => (
        <Button key={name} small onClick={() => change({ asOf: new Date(Date.now() - ms).toISOString() })}>
          {name}
        </Button>
      ))}
    </div>
  )
}
