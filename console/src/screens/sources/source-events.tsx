import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { Badge } from '../../ui/badge.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { SourceEventDrawer } from './source-event-drawer.tsx'

/** Source events, newest first, with the state of their payload. */
export function SourceEvents() {
  const [search, change] = useAddress()
  const { service, subject } = search
  const pages = useInfiniteQuery({
    queryKey: ['live', 'source-events', service, subject],
    queryFn: ({ pageParam, signal }) =>
      api.sources.list(
        { limit: 50, cursor: pageParam, source_service: service, external_user_id: subject },
        { signal },
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const events = pages.data?.pages.flatMap((page) => page.data) ?? []
  return (
    <Panel
      title="Source events"
      actions={
        <div className="flex gap-2">
          <ApplyingField label="Service" value={service} onApply={(value) => change({ service: value })} />
          <ApplyingField label="Subject" value={subject} onApply={(value) => change({ subject: value })} />
        </div>
      }
    >
      <PagedList
        pages={pages}
        empty={<Empty title="No source events." />}
        className="h-[60vh]"
        label="List of source events"
        items={events}
        keyOf={({ id }) => id}
        rowHeight={56}
        render={(event) =>
          'erased' in event ? (
            <p className="flex flex-wrap items-center gap-3 px-4 py-2 text-muted">
              <Badge>{event.service ?? 'no service'}</Badge> erased, received <Time at={event.received_at} short />
            </p>
          ) : (
            <button
              type="button"
              onClick={() => change({ event: event.id })}
              className="flex w-full cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-left hover:bg-sunken"
            >
              <Badge tone="accent">{event.service ?? 'no service'}</Badge>
              <span className="font-mono text-xs">{event.event_id ?? event.id}</span>
              <span>{event.external_user_id}</span>
              <span className="text-muted text-xs">
                observed <Time at={event.observed_at} short />
              </span>
              <Badge tone={event.payload_state === 'stored' ? 'good' : 'neutral'}>payload {event.payload_state}</Badge>
            </button>
          )
        }
      />
      {search.event !== undefined && (
        <SourceEventDrawer id={search.event} onClose={() => change({ event: undefined })} />
      )}
    </Panel>
  )
}
