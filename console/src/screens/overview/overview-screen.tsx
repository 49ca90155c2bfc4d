import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { Stats } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Panel, ScreenTitle } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { HeatMap } from './heat-map.tsx'
import { LiveActivity } from './live-activity.tsx'

/** Loaded when it is shown, so that other screens do not wait for the chart library. */
const ActivityChart = lazy(() => import('./activity-chart.tsx'))

const refetchMs = 10_000

export function OverviewScreen() {
  const stats = useQuery({
    queryKey: ['live', 'stats'],
    queryFn: ({ signal }) => api.stats({ signal }),
    refetchInterval: refetchMs,
  })
  return (
    <>
      <ScreenTitle title="Overview">Counts, activity, and what needs a decision.</ScreenTitle>
      {stats.isPending && <Loading />}
      {stats.isError && <Failure error={stats.error} onRetry={() => stats.refetch()} />}
      {stats.isSuccess && <Everything stats={stats.data} />}
    </>
  )
}

function Everything({ stats }: { readonly stats: Stats }) {
  const waiting = (stats.jobs.queued ?? 0) + (stats.jobs.leased ?? 0)
  const redacted = stats.activity.reduce((sum, span) => sum + span.redacted, 0)
  return (
    <div className="grid gap-4 lg:grid-cols-3">
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4 lg:col-span-3">
        <Figure
          name="Memories"
          to="/memories"
          value={count(stats.entries, stats.entriesAreMore)}
          note={`in ${stats.refs} refs`}
        />
        <Figure
          name="Source events"
          to="/sources"
          search={{ tab: 'events' }}
          value={count(stats.sourceEvents)}
          note="from source services"
        />
        <Figure
          name="Conflicts"
          to="/claims"
          value={count(stats.contestedClaims)}
          note="need a decision"
          isUrgent={stats.contestedClaims > 0}
        />
        <Figure name="Runs" to="/runs" value={count(sum(stats.runs))} note={`${stats.runs.running ?? 0} running`} />
        <Figure
          name="Jobs"
          to="/operations"
          search={{ tab: 'jobs' }}
          value={count(waiting)}
          note={`pending, ${stats.jobs.dead ?? 0} dead`}
          isUrgent={(stats.jobs.dead ?? 0) > 0}
        />
        <Figure
          name="Redactions"
          to="/security"
          search={{ tab: 'redaction' }}
          value={count(redacted)}
          note="in seven days"
        />
        <Figure name="Expiring" to="/memories" value={count(stats.expiringSoon)} note="within seven days" />
        <Figure
          name="Position"
          to="/security"
          search={{ tab: 'audit' }}
          value={count(stats.position)}
          note="of the audit chain"
        />
      </dl>
      <Panel title="Changes by the hour, last seven days" className="lg:col-span-2">
        <Suspense fallback={<Loading />}>
          <ActivityChart stats={stats} />
        </Suspense>
      </Panel>
      <Panel title="Memory capabilities of this host">
        <Dimensions dimensions={stats.dimensions} />
      </Panel>
      <Panel title="Activity by day and hour" className="lg:col-span-2">
        <HeatMap stats={stats} />
      </Panel>
      <Panel title="Live changes">
        <LiveActivity />
      </Panel>
    </div>
  )
}

type FigureProps = {
  readonly name: string
  readonly value: string
  readonly note: string
  readonly to: '/memories' | '/sources' | '/claims' | '/runs' | '/operations' | '/security'
  readonly search?: Readonly<Record<string, string>>
  readonly isUrgent?: boolean
}

function Figure({ name, value, note, to, search = {}, isUrgent = false }: FigureProps) {
  return (
    <div className="rounded-lg border border-line bg-raised p-4">
      <dt className="text-muted text-xs">
        <Link to={to} search={search} className="hover:underline">
          {name}
        </Link>
      </dt>
      <dd>
        <span className={isUrgent ? 'font-serif text-3xl text-warn' : 'font-serif text-3xl'}>{value}</span>
        <span className="block text-muted text-xs">{note}</span>
      </dd>
    </div>
  )
}

function Dimensions({ dimensions }: { readonly dimensions: Stats['dimensions'] }) {
  return (
    <ul className="divide-y divide-line">
      {Object.entries(dimensions).map(([name, isProvided]) => (
        <li key={name} className="flex items-center justify-between px-4 py-1.5">
          {name}
          <Badge tone={isProvided ? 'good' : 'warn'}>{isProvided ? 'provided' : 'missing'}</Badge>
        </li>
      ))}
    </ul>
  )
}

const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((a, b) => a + b, 0)
const count = (value: number, isMore = false): string => `${value.toLocaleString()}${isMore ? '+' : ''}`
