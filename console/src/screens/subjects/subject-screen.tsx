import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { Timeline } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useCaller } from '../../app/caller.ts'
import { formatMoment, useAsOf, useMoment } from '../../app/moment.ts'
import { Panel, ScreenTitle } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { type Erasure, ErasureRow } from './erasure-row.tsx'
import { TimeBar } from './time-bar.tsx'
import { changesOf, currentAt, marksOf, type Row, rangeOf, type WriterMark } from './timeline.ts'
import { Legend, nameOf, TimelineRows } from './timeline-rows.tsx'
import { useWithoutClaim, WithoutClaim } from './without-claim.tsx'

const rowsMax = 100

/** A subject over time: one row for each claim, and what was current at the chosen moment. */
export function SubjectScreen() {
  const { subject } = useParams({ from: '/subjects/$subject' })
  const timeline = useQuery<Timeline>({
    // The rows show all moments, so the moment of the address does not change them.
    queryKey: ['live', 'timeline', subject],
    queryFn: ({ signal }) => api.claims.timeline({ subject, limit: rowsMax, trustMin: 'untrusted' }, { signal }),
  })
  const erasures = useErasures(subject)
  const withoutClaim = useWithoutClaim(subject)
  const hasRows = timeline.isSuccess && (timeline.data.rows.length > 0 || erasures.length > 0)
  const hasOthers = withoutClaim.data?.pages.some(({ memories = [] }) => memories.length > 0) === true
  return (
    <>
      <ScreenTitle
        title={subject}
        actions={
          <span className="flex flex-wrap gap-2">
            <Link to="/memories" search={{ ref: `subject:${subject}` }} className={actionStyle}>
              All memories
            </Link>
            <Link to="/compare" search={{ subject }} className={actionStyle}>
              Compare two moments
            </Link>
          </span>
        }
      >
        What was believed about them, by whom, and when it changed.
      </ScreenTitle>
      {timeline.isPending && <Loading />}
      {timeline.isError && <Failure error={timeline.error} onRetry={() => timeline.refetch()} />}
      {timeline.isSuccess && !hasRows && !hasOthers && (
        <Empty title={`Nothing is known about ${subject}.`}>
          No source has stated anything about them, or they were forgotten.
        </Empty>
      )}
      <div className="grid gap-4">
        {hasRows && <OverTime timeline={timeline.data} erasures={erasures} now={timeline.dataUpdatedAt} />}
        {timeline.isSuccess && <WithoutClaim pages={withoutClaim} />}
      </div>
    </>
  )
}

/** The erasures of everything about a subject. Its name is kept nowhere: the server compares it by a keyed digest. */
function useErasures(subject: string): readonly Erasure[] {
  const caller = useCaller()
  const erasures = useQuery({
    queryKey: ['live', 'erasures', subject],
    queryFn: async ({ signal }) => (await api.forget.list({ subject }, { signal })).forgets,
    enabled: caller.data?.scopes.includes('memory:admin') === true,
  })
  return erasures.data ?? []
}

const actionStyle = 'rounded-md border border-line bg-raised px-3 py-1.5 font-medium text-sm hover:bg-sunken'

type OverTimeProps = {
  readonly timeline: Timeline
  readonly erasures: readonly Erasure[]
  readonly now: number
}

function OverTime({ timeline, erasures, now }: OverTimeProps) {
  const asOf = useAsOf()
  const moment = useMoment(asOf)
  // Claims with a key first, by name: their rows are comparable between people.
  const rows = useMemo(() => timeline.rows.toSorted(byName), [timeline])
  const changes = useMemo(() => {
    const erased = erasures.map(({ requestedAt }) => Date.parse(requestedAt))
    return [...new Set([...changesOf(rows), ...erased])].sort((a, b) => a - b)
  }, [rows, erasures])
  const range = useMemo(() => rangeOf(changes, now), [changes, now])
  const marks = useMemo(() => marksOf(rows), [rows])
  const at = asOf === undefined ? range.to : Date.parse(moment.data?.at ?? '') || range.to
  const position = asOf === undefined ? Number.MAX_SAFE_INTEGER : moment.data?.position
  return (
    <>
      <Panel title="Over time">
        <div className="px-4 py-3">
          <div className="grid gap-x-3 sm:grid-cols-[11rem_1fr]">
            <div className="sm:col-start-2">
              <TimeBar range={range} changes={changes} />
            </div>
          </div>
          <ErasureRow erasures={erasures} range={range} isEmpty={rows.length === 0} />
          <TimelineRows rows={rows} range={range} marks={marks} moment={at} />
          {rows.length > 0 && (
            <div className="mt-3">
              <Legend marks={marks} />
            </div>
          )}
          {timeline.cursor !== undefined && (
            <p className="mt-2 text-muted text-sm">Only {rowsMax} claims are shown. All memories lists the rest.</p>
          )}
        </div>
      </Panel>
      <Panel
        title={asOf === undefined ? 'Believed now' : `Believed on ${moment.data ? formatMoment(moment.data) : '…'}`}
      >
        {position !== undefined && <Believed rows={rows} position={position} marks={marks} />}
      </Panel>
    </>
  )
}

function byName(a: Row, b: Row): number {
  if ((a.claimKey === null) !== (b.claimKey === null)) return a.claimKey === null ? 1 : -1
  return nameOf(a).localeCompare(nameOf(b))
}

type BelievedProps = {
  readonly rows: readonly Row[]
  readonly position: number
  readonly marks: ReadonlyMap<string | null, WriterMark>
}

/** What was current in each row at one position. */
function Believed({ rows, position, marks }: BelievedProps) {
  const current = rows.flatMap((row) => {
    const span = currentAt(row, position)
    return span === undefined ? [] : [{ row, span }]
  })
  if (current.length === 0)
    return (
      <Empty
        title={position === Number.MAX_SAFE_INTEGER ? 'Nothing is known in a claim.' : 'Nothing was known then.'}
      />
    )
  return (
    <ul aria-label="Believed" className="divide-y divide-line">
      {current.map(({ row, span }) => (
        <li key={row.id} className="grid gap-x-3 px-4 py-2 sm:grid-cols-[11rem_1fr_auto]">
          <span className="truncate text-muted">{row.claimKey ?? row.category}</span>
          <Link to="/memories/$id" params={{ id: span.memoryId }} className="min-w-0 break-words hover:underline">
            {span.content}
            {span.isCut && ' …'}
          </Link>
          <span className="text-muted text-xs">
            {marks.get(span.writer)?.name}, since {formatMoment(span.from)}
          </span>
        </li>
      ))}
    </ul>
  )
}
