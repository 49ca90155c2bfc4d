import { Link } from '@tanstack/react-router'
import type { ForgetPage } from '../../../../src/client/index.ts'
import { formatMoment } from '../../app/moment.ts'
import { useNames } from '../../app/names.tsx'
import { placeOf, type Range } from './timeline.ts'

export type Erasure = ForgetPage['forgets'][number]

type ErasureRowProps = {
  readonly erasures: readonly Erasure[]
  readonly range: Range
  /** Nothing was stated since, so the gap lasts until now. */
  readonly isEmpty: boolean
}

/** What was known before an erasure left no row: a gap up to it, and under it when it was erased and by whom. */
export function ErasureRow({ erasures, range, isEmpty }: ErasureRowProps) {
  const nameOf = useNames(erasures.map(({ actor }) => actor))
  const last = erasures.at(-1)
  if (last === undefined) return null
  const end = isEmpty ? 100 : placeOf(Date.parse(last.requestedAt), range)
  return (
    <div className="grid gap-x-3 border-line border-b py-2 sm:grid-cols-[11rem_1fr]">
      <span className="pb-1 font-medium">Erased</span>
      <div className="relative h-7 overflow-hidden">
        <div
          data-gap
          className="absolute inset-y-0 left-0 rounded-sm border border-muted border-dashed"
          style={{ width: `max(${end}%, 3px)` }}
        />
        {erasures.map(({ id, requestedAt }) => (
          <i
            key={id}
            aria-hidden
            className="absolute inset-y-0 w-0.5 bg-bad"
            style={{ left: `${placeOf(Date.parse(requestedAt), range)}%` }}
          />
        ))}
      </div>
      <ul aria-label="Erasures" className="space-y-0.5 pt-1 text-sm sm:col-start-2">
        {erasures.map(({ id, actor, reason, requestedAt, status }) => (
          <li key={id} className="break-words">
            Everything was erased on {formatMoment({ at: requestedAt })} by {nameOf(actor)}
            {status === 'completed' ? '' : ` (${status})`}: {reason}.{' '}
            <Link to="/privacy" search={{ forget: id }} className="text-accent underline">
              Receipt
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
