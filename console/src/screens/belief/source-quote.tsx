import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type EntryColophon, isClientError, type Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Named } from '../../app/names.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { markPhrase } from './phrase.ts'

type SourceQuoteProps = { readonly memory: Memory; readonly colophon: EntryColophon }

/** What was said: the message that stated the memory, with its event, its writer and its time. */
export function SourceQuote({ memory, colophon }: SourceQuoteProps) {
  const sourceEventId = colophon.resolution?.own.sourceEventId ?? sourceOf(colophon)
  return (
    <Panel title="What was said">
      <div className="p-4">
        {sourceEventId === null ? <NoEvent colophon={colophon} /> : <Quote id={sourceEventId} memory={memory} />}
      </div>
    </Panel>
  )
}

function sourceOf({ origin }: EntryColophon): string | null {
  const { sourceEventId } = origin as { readonly sourceEventId?: unknown }
  return typeof sourceEventId === 'string' ? sourceEventId : null
}

function NoEvent({ colophon: { origin, audit } }: { readonly colophon: EntryColophon }) {
  const { runId, nodeId } = origin as { readonly runId?: string; readonly nodeId?: string }
  if (runId !== undefined) {
    return (
      <p>
        The run{' '}
        <Link to="/runs/$runId" params={{ runId }} className="text-accent underline">
          <Named text={runId} />
        </Link>{' '}
        wrote it{nodeId === undefined ? '' : ` in the node ${nodeId}`}.
      </p>
    )
  }
  if (origin.kind === 'compaction') return <p>A compaction made it of other memories, which are listed below.</p>
  return (
    <p>
      It was put directly, without a source event
      {audit !== null && (
        <>
          , by <Named text={audit.actor} />
        </>
      )}
      .
      {audit !== null && (
        <span className="mt-1 block text-muted">
          <Time at={audit.at} />
        </span>
      )}
    </p>
  )
}

function Quote({ id, memory }: { readonly id: string; readonly memory: Memory }) {
  const event = useQuery({
    queryKey: ['live', 'source-event', id],
    queryFn: ({ signal }) => api.sources.get(id, { signal }),
  })
  if (event.isPending) return <Loading />
  if (event.isError) {
    const isForbidden = isClientError(event.error) && event.error.status === 403
    if (isForbidden) return <p className="text-muted">The messages are shown to keys with the scope audit:read.</p>
    return <Failure error={event.error} onRetry={() => event.refetch()} />
  }
  const { data } = event
  if ('erased' in data) return <p>The source event was erased. Only its service and its time are left.</p>
  const messages = 'messages_redacted' in data.payload ? [] : data.payload
  const quoted = messages.filter(({ content }) => markPhrase(content, memory.content).some(({ isSource }) => isSource))
  return (
    <>
      {messages.length === 0 && <p className="text-muted">The messages are no longer kept. Their hash still is.</p>}
      {(quoted.length > 0 ? quoted : messages).slice(0, 3).map(({ role, content }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages of an event never change.
        <figure key={index} className="mb-3">
          <blockquote className="max-h-64 overflow-y-auto border-accent border-l-2 pl-3 font-serif break-words whitespace-pre-wrap">
            {markPhrase(content, memory.content).map((part) =>
              part.isSource ? <mark key={part.text}>{part.text}</mark> : part.text,
            )}
          </blockquote>
          <figcaption className="mt-1 pl-3 text-muted text-xs">{role}</figcaption>
        </figure>
      ))}
      <dl className="grid grid-cols-[5.5rem_1fr] gap-x-2 gap-y-1">
        <dt className="text-muted">Writer</dt>
        <dd className="break-words">{data.service ?? 'no registered service'}</dd>
        <dt className="text-muted">Event</dt>
        <dd className="break-all">
          <Link to="/sources" search={{ tab: 'events', event: id }} className="text-accent underline">
            {data.event_id ?? 'without an id'}
          </Link>
        </dd>
        <dt className="text-muted">Observed</dt>
        <dd>
          <Time at={data.observed_at} />
        </dd>
        <dt className="text-muted">Received</dt>
        <dd>
          <Time at={data.received_at} />
        </dd>
      </dl>
    </>
  )
}
