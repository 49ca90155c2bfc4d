import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'

/** Delays requests while the slider moves, so that a thousand positions are not a thousand requests. */
const settleMs = 150

/** Time travel: the ref as it was at any position. */
export function AsOfBar({ memoryRef }: { readonly memoryRef: string }) {
  const [search, change] = useAddress()
  const now = useQuery({
    queryKey: ['live', 'position', memoryRef],
    queryFn: ({ signal }) => api.memory.list(memoryRef, { limit: 1 }, { signal }),
    select: (page) => page.position,
  })
  const newest = now.data ?? 0
  const chosen = search.asOf === undefined ? newest : Number(search.asOf)
  const [value, setValue] = useState(chosen)
  useEffect(() => setValue(chosen), [chosen])
  useEffect(() => {
    if (value === chosen) return
    const timer = setTimeout(() => change({ asOf: value >= newest ? undefined : String(value) }, true), settleMs)
    return () => clearTimeout(timer)
  }, [value, chosen, newest, change])
  return (
    <div className="flex items-center gap-3 border-line border-b px-3 py-1.5 text-xs">
      <label className="flex min-w-0 flex-1 items-center gap-3">
        <span className="whitespace-nowrap text-muted">As of position</span>
        <input
          type="range"
          className="min-w-0 flex-1 accent-accent"
          min={0}
          max={newest}
          value={Math.min(value, newest)}
          onChange={(event) => setValue(Number(event.target.value))}
        />
      </label>
      <output className="min-w-16 text-right font-mono">{value}</output>
      {search.asOf === undefined ? (
        <span className="text-good">now</span>
      ) : (
        <Button small onClick={() => change({ asOf: undefined })}>
          Back to now
        </Button>
      )}
    </div>
  )
}
