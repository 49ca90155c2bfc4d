import type { RunEvent } from '../../../../src/client/index.ts'
import { classNames } from '../../ui/class-names.ts'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { durationInWords } from './duration.ts'
import { useRunEvents } from './use-run-events.ts'

const exactTime = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** Every event in order. The bar shows the time since the first event. */
export function RunTimeline({ runId, hasEnded }: { readonly runId: string; readonly hasEnded: boolean }) {
  const events = useRunEvents(runId, hasEnded)
  if (events.isPending) return <Loading />
  if (hasFailed(events)) return <Failure error={events.error} onRetry={() => events.refetch()} />
  const first = Date.parse(events.data[0]?.timestamp ?? '')
  const last = Date.parse(events.data.at(-1)?.timestamp ?? '')
  return (
    <Panel title={titleOf(events.data.length, last - first)}>
      <ol aria-label="Timeline">
        {events.data.map((event) => (
          <EventRow
            key={event.sequence}
            event={event}
            offset={Date.parse(event.timestamp) - first}
            total={last - first}
          />
        ))}
      </ol>
    </Panel>
  )
}

type EventRowProps = { readonly event: RunEvent; readonly offset: number; readonly total: number }

function EventRow({ event, offset, total }: EventRowProps) {
  const nodeId = typeof event.nodeId === 'string' ? event.nodeId : undefined
  return (
    <li className="grid grid-cols-[3rem_1fr] items-baseline gap-x-3 border-line border-b px-4 py-1.5 sm:grid-cols-[3rem_8rem_1fr_10rem]">
      <span className="font-mono text-muted text-xs">{event.sequence}</span>
      <time dateTime={event.timestamp} title={event.timestamp} className="hidden font-mono text-xs sm:block">
        {exactTime.format(new Date(event.timestamp))}
      </time>
      <details className="min-w-0">
        <summary className="cursor-pointer">
          <span className={classNames('font-medium', toneOfEvent(event.type))}>{event.type}</span>
          {nodeId !== undefined && <span className="ml-2 text-muted">{nodeId}</span>}
        </summary>
        <pre className="mt-1 overflow-x-auto rounded bg-sunken p-2 font-mono text-xs whitespace-pre-wrap">
          {JSON.stringify(event.payload, null, 2)}
        </pre>
      </details>
      <span aria-hidden="true" className="relative hidden h-1.5 rounded bg-sunken sm:block">
        <span
          className="absolute top-0 h-1.5 w-1.5 rounded-full bg-accent"
          style={{ left: `${total === 0 ? 0 : (offset / total) * 96}%` }}
        />
      </span>
    </li>
  )
}

function toneOfEvent(type: string): string {
  if (type.startsWith('memory.')) return 'text-accent'
  if (/failed|breached/.test(type)) return 'text-bad'
  return /completed/.test(type) ? 'text-good' : ''
}

function titleOf(count: number, ms: number): string {
  if (count === 0) return 'No events'
  return count === 1 ? '1 event' : `${count} events in ${durationInWords(ms)}`
}
