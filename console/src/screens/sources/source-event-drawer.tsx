import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../../app/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Identifier } from '../../ui/identifier.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { VerifySource } from '../memories/verify-source.tsx'

/** One source event: its messages as far as they are kept, its payload hash, and the memories that it stated. */
export function SourceEventDrawer({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const event = useQuery({
    queryKey: ['live', 'source-event', id],
    queryFn: ({ signal }) => api.sources.get(id, { signal }),
  })
  return (
    <Dialog side open onClose={onClose} title="Source event" description={id}>
      {event.isPending && <Loading />}
      {event.isError && <Failure error={event.error} onRetry={() => event.refetch()} />}
      {event.isSuccess && 'erased' in event.data && (
        <Empty title="This event was erased.">Only its service and its time are left.</Empty>
      )}
      {event.isSuccess && !('erased' in event.data) && (
        <>
          <dl className="mb-4 grid grid-cols-[8rem_1fr] gap-x-3 gap-y-1">
            <dt className="text-muted">Service</dt>
            <dd>{event.data.service ?? '–'}</dd>
            <dt className="text-muted">Event</dt>
            <dd className="break-all font-mono text-xs">{event.data.event_id ?? '–'}</dd>
            <dt className="text-muted">Subject</dt>
            <dd className="break-all">{event.data.external_user_id}</dd>
            <dt className="text-muted">Observed</dt>
            <dd>
              <Time at={event.data.observed_at} />
            </dd>
            <dt className="text-muted">Received</dt>
            <dd>
              <Time at={event.data.received_at} />
            </dd>
            <dt className="text-muted">Hash</dt>
            <dd className="flex flex-wrap items-center gap-2">
              <Identifier value={event.data.payload_hash} length={32} />
              <VerifySource sourceEventId={id} />
            </dd>
          </dl>
          <h3 className="mb-1 font-serif">Memories</h3>
          <ul className="mb-4 list-disc pl-5">
            {event.data.memories.map((memory) => (
              <li key={memory.id}>
                <Link to="/memories/$id" params={{ id: memory.id }} className="font-mono text-accent text-xs underline">
                  {memory.id}
                </Link>{' '}
                {memory.status === 'active' ? 'winner' : 'superseded'}
              </li>
            ))}
            {event.data.memories.length === 0 && <li className="text-muted">none</li>}
          </ul>
          <h3 className="mb-1 font-serif">Stored payload</h3>
          <pre className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs whitespace-pre-wrap">
            {JSON.stringify(event.data.payload, null, 2)}
          </pre>
        </>
      )}
    </Dialog>
  )
}
