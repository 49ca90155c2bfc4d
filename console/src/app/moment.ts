import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import type { Moment } from '../../../src/client/index.ts'
import { api } from './api.ts'

/** The moment in the address: a position or an instant. Undefined: now. */
export function useAsOf(): string | undefined {
  return (useSearch({ strict: false }) as { readonly asOf?: string }).asOf
}

/** What a query key begins with. A view of the past does not change, so a write does not refresh it. */
export function sinceWrites(asOf: string | undefined): 'live' | 'past' {
  return asOf === undefined ? 'live' : 'past'
}

/** The position and the instant of a moment, and the range that can be read. */
export function useMoment(asOf: string | undefined) {
  return useQuery({
    queryKey: [sinceWrites(asOf), 'moment', asOf],
    queryFn: ({ signal }) => api.moment(asOf, { signal }),
  })
}

const momentFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})

/** "Tue 10 Nov 14:02", with the year if it is another one. */
export function formatMoment({ at }: Pick<Moment, 'at'>, now = new Date()): string {
  const date = new Date(at)
  const text = momentFormat.format(date).replaceAll(',', '')
  return date.getFullYear() === now.getFullYear() ? text : `${text} ${date.getFullYear()}`
}

/** A moment that people ask for; null is now. */
export type PastMoment = { readonly name: string; readonly at: number | null }

const dayMs = 86_400_000

/** Now, and the same time of day on earlier days. */
export function pastMoments(now = Date.now()): readonly PastMoment[] {
  const sinceTuesday = (new Date(now).getDay() + 7 - 2) % 7 || 7
  return [
    { name: 'Now', at: null },
    { name: 'Yesterday', at: now - dayMs },
    { name: 'Last Tuesday', at: now - sinceTuesday * dayMs },
    { name: 'A week ago', at: now - 7 * dayMs },
  ]
}
