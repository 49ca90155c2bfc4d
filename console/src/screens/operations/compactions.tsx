import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { PagedList } from '../../ui/paged-list.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { CompactionDrawer } from './compaction-drawer.tsx'
import { NewCompaction, NewConsolidation } from './ref-passes.tsx'

const refetchMs = 3_000

export function Compactions() {
  const [search, change] = useAddress()
  const [asks, setAsks] = useState<'compaction' | 'consolidation' | null>(null)
  const pages = useInfiniteQuery({
    queryKey: ['live', 'compactions'],
    queryFn: ({ pageParam, signal }) => api.compactions.list({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: refetchMs,
  })
  const compactions = pages.data?.pages.flatMap((page) => page.compactions) ?? []
  return (
    <Panel
      title="Compactions"
      actions={
        <span className="flex flex-wrap justify-end gap-2">
          <ScopedButton scope="memory:admin" small onClick={() => setAsks('compaction')}>
            Compact a ref …
          </ScopedButton>
          <ScopedButton scope="memory:admin" small onClick={() => setAsks('consolidation')}>
            Consolidate a ref …
          </ScopedButton>
        </span>
      }
    >
      <PagedList
        pages={pages}
        empty={
          <Empty title="No compactions.">
            A compaction summarises many old entries into one, and a consolidation merges those that say the same. The
            sources stay readable in the past.
          </Empty>
        }
        className="h-[60vh]"
        label="List of compactions"
        items={compactions}
        keyOf={({ id }) => id}
        rowHeight={44}
        render={({ id, memoryRef, sourceCount, status, at, summariser, reason }) => (
          <button
            type="button"
            onClick={() => change({ compaction: id })}
            className="flex w-full cursor-pointer flex-wrap items-center gap-x-3 px-4 py-2 text-left hover:bg-sunken"
          >
            <Badge tone={status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'neutral'}>{status}</Badge>
            <span className="font-medium">{memoryRef}</span>
            <span>{sourceCount} entries became one</span>
            <span className="text-muted text-xs">
              {reason ?? summariser} · <Time at={at} short />
            </span>
          </button>
        )}
      />
      {asks === 'compaction' && <NewCompaction onClose={() => setAsks(null)} />}
      {asks === 'consolidation' && <NewConsolidation onClose={() => setAsks(null)} />}
      {search.compaction !== undefined && (
        <CompactionDrawer id={search.compaction} onClose={() => change({ compaction: undefined })} />
      )}
    </Panel>
  )
}
