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
import { DistillationDrawer } from './distillation-drawer.tsx'
import { NewDistillation } from './ref-passes.tsx'

const refetchMs = 3_000

/** Which refs were distilled, with which token budget. */
export function Distillations() {
  const [search, change] = useAddress()
  const [isAsking, setAsking] = useState(false)
  const pages = useInfiniteQuery({
    queryKey: ['live', 'distillations'],
    queryFn: ({ pageParam, signal }) => api.distillations.list({ limit: 50, cursor: pageParam }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: refetchMs,
  })
  return (
    <Panel
      title="Distillations"
      actions={
        <ScopedButton scope="memory:admin" small onClick={() => setAsking(true)}>
          Distill a ref …
        </ScopedButton>
      }
    >
      <PagedList
        pages={pages}
        empty={
          <Empty title="No distillations.">
            A distillation makes an archive of a ref that fits in a token budget. The entries of the ref stay.
          </Empty>
        }
        className="h-[60vh]"
        label="List of distillations"
        items={pages.data?.pages.flatMap((page) => page.distillations) ?? []}
        keyOf={({ id }) => id}
        rowHeight={44}
        render={({ id, memoryRef, sourceCount, status, at, tokensUsed, tokenBudget }) => (
          <button
            type="button"
            onClick={() => change({ distillation: id })}
            className="flex w-full cursor-pointer flex-wrap items-center gap-x-3 px-4 py-2 text-left hover:bg-sunken"
          >
            <Badge tone={status === 'completed' ? 'good' : status === 'failed' ? 'bad' : 'neutral'}>{status}</Badge>
            <span className="font-medium">{memoryRef}</span>
            <span>{sourceCount} entries in one archive</span>
            <span className="text-muted text-xs">
              {tokensUsed ?? 0} of {tokenBudget} tokens · <Time at={at} short />
            </span>
          </button>
        )}
      />
      {isAsking && <NewDistillation onClose={() => setAsking(false)} />}
      {search.distillation !== undefined && (
        <DistillationDrawer id={search.distillation} onClose={() => change({ distillation: undefined })} />
      )}
    </Panel>
  )
}
