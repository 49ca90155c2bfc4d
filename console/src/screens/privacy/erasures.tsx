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
import { ErasureDrawer } from './erasure-drawer.tsx'
import { ForgetDialog } from './forget-dialog.tsx'
import { wordsOfSelector } from './words.ts'

const refetchMs = 2_000

/** The erasures of the tenant and their receipts. */
export function Erasures() {
  const [search, change] = useAddress()
  const [isAsking, setAsking] = useState(false)
  const pages = useInfiniteQuery({
    queryKey: ['live', 'forgets'],
    queryFn: ({ pageParam, signal }) => api.forget.list({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: refetchMs,
  })
  const forgets = pages.data?.pages.flatMap((page) => page.forgets) ?? []
  return (
    <Panel
      title="Erasures"
      actions={
        <ScopedButton scope="memory:admin" small kind="danger" onClick={() => setAsking(true)}>
          Erase …
        </ScopedButton>
      }
    >
      <PagedList
        pages={pages}
        empty={<Empty title="No erasures.">An erasure deletes data from every version, index and payload.</Empty>}
        className="max-h-[60vh]"
        label="List of erasures"
        items={forgets}
        keyOf={({ id }) => id}
        rowHeight={44}
        render={({ id, status, selector, reason, requestedAt }) => (
          <button
            type="button"
            onClick={() => change({ forget: id })}
            className="flex w-full cursor-pointer flex-wrap items-center gap-x-3 px-4 py-2 text-left hover:bg-sunken"
          >
            <Badge tone={status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'accent'}>{status}</Badge>
            <span>{wordsOfSelector(selector.kind)}</span>
            <span className="min-w-0 truncate">{reason}</span>
            <span className="text-muted text-xs">
              <Time at={requestedAt} short />
            </span>
          </button>
        )}
      />
      {isAsking && <ForgetDialog onClose={() => setAsking(false)} onStarted={(forget) => change({ forget })} />}
      {search.forget !== undefined && (
        <ErasureDrawer id={search.forget} onClose={() => change({ forget: undefined })} />
      )}
    </Panel>
  )
}
