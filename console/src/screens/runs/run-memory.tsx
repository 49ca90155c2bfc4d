import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { RunEvent, RunReads } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { EntryLink } from './entry-link.tsx'
import { NotVisible } from './not-visible.tsx'
import { SeenEntry } from './seen-entry.tsx'
import { useRunEvents } from './use-run-events.ts'

/** Each entry is read twice, as the run saw it and as it is now. */
const shownAtFirst = 10

type Read = RunReads['reads'][number]

/** The memory reads of each node in the words that it saw, and its writes. */
export function RunMemory({ runId, hasEnded }: { readonly runId: string; readonly hasEnded: boolean }) {
  const events = useRunEvents(runId, hasEnded)
  const reads = useQuery({
    queryKey: ['live', 'run-reads', runId, hasEnded],
    queryFn: ({ signal }) => api.runs.reads(runId, { signal }),
  })
  if (events.isPending || reads.isPending) return <Loading />
  if (hasFailed(events)) return <Failure error={events.error} onRetry={() => events.refetch()} />
  if (hasFailed(reads)) return <Failure error={reads.error} onRetry={() => reads.refetch()} />
  const written = events.data.filter(({ type }) => type === 'memory.written')
  const nodes = [...new Set([...reads.data.reads.map(({ nodeId }) => nodeId), ...written.map(nodeOf)])]
  if (nodes.length === 0) return <Empty title="This run neither read nor wrote memory." />
  return (
    <div className="space-y-4">
      <p className="text-muted">
        The run reads the snapshot at position {reads.data.snapshot.position}, and its own writes.
      </p>
      {nodes.map((nodeId) => (
        <Panel key={nodeId ?? ''} title={nodeId ?? 'the run itself'}>
          <ul className="divide-y divide-line">
            {reads.data.reads
              .filter((read) => read.nodeId === nodeId)
              .map((read) => (
                <ReadRow key={read.sequence} read={read} runId={runId} reader={reads.data.reader} />
              ))}
            {written
              .filter((event) => nodeOf(event) === nodeId)
              .map((event) => (
                <WrittenRow key={event.sequence} event={event} />
              ))}
          </ul>
        </Panel>
      ))}
    </div>
  )
}

function nodeOf(event: RunEvent): string | null {
  return typeof event.nodeId === 'string' ? event.nodeId : null
}

type ReadRowProps = { readonly read: Read; readonly runId: string; readonly reader: string | undefined }

function ReadRow({ read, runId, reader }: ReadRowProps) {
  const [shown, setShown] = useState(shownAtFirst)
  return (
    <li className="px-4 py-2">
      <p className="flex flex-wrap items-center gap-2">
        <Badge>{read.op}</Badge>
        <Link
          to="/memories"
          search={{ ref: read.memoryRef, asOf: String(read.position), run: runId }}
          className="underline"
        >
          {read.memoryRef}
        </Link>
        <span className="text-muted text-xs">
          {read.entryIds.length} {read.entryIds.length === 1 ? 'entry' : 'entries'} at position {read.position}
        </span>
      </p>
      <ul aria-label={`Seen in ${read.memoryRef}`} className="mt-1">
        {read.entryIds.slice(0, shown).map((id) => (
          <SeenEntry key={id} id={id} memoryRef={read.memoryRef} runId={runId} position={read.position} />
        ))}
      </ul>
      {read.entryIds.length > shown && (
        <Button small onClick={() => setShown(read.entryIds.length)}>
          Show all {read.entryIds.length}
        </Button>
      )}
      <NotVisible runId={runId} memoryRef={read.memoryRef} reader={reader} />
    </li>
  )
}

function WrittenRow({ event }: { readonly event: RunEvent }) {
  const payload = event.payload as { readonly memoryRef?: string; readonly memoryId?: string; readonly id?: string }
  const id = payload.memoryId ?? payload.id
  return (
    <li className="flex flex-wrap items-center gap-2 px-4 py-2">
      <Badge tone="accent">wrote</Badge>
      {payload.memoryRef !== undefined && <span>{payload.memoryRef}</span>}
      {id !== undefined && <EntryLink id={id} />}
      <span className="text-muted text-xs">event {event.sequence}</span>
    </li>
  )
}
