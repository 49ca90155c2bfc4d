import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TenantSearchAnswer, TenantSearchMore } from '../../../../src/client/index.ts'
import { Named } from '../../app/names.tsx'
import { fetchFeed } from '../../app/patch-feed.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { RefLink } from '../subjects/ref-link.tsx'
import { BulkActions } from './bulk-actions.tsx'

export type FeedRow = NonNullable<TenantSearchAnswer['memories']>[number]

const columns: readonly DataColumn<FeedRow>[] = [
  { id: 'content', name: 'Memory', sortBy: ({ content }) => content, cell: (row) => <FeedText row={row} /> },
  {
    id: 'ref',
    name: 'About',
    isExtra: true,
    sortBy: ({ memoryRef }) => memoryRef,
    cell: ({ memoryRef }) => <RefLink memoryRef={memoryRef} className="block truncate underline" />,
  },
  {
    id: 'writer',
    name: 'Writer',
    isExtra: true,
    sortBy: writerOf,
    cell: (row) => <Named text={writerOf(row)} className="block truncate" />,
  },
  { id: 'trust', name: 'Trust', isExtra: true, sortBy: ({ trust }) => trust, cell: (row) => <TrustMark row={row} /> },
  {
    id: 'changed',
    name: 'Changed',
    isExtra: true,
    sortBy: ({ changedAt }) => changedAt,
    cell: ({ changedAt }) => <Time at={changedAt} short />,
  },
]

/** Every memory of the tenant, the last change first, with filters that combine. */
export function MemoryFeed() {
  const [search, change] = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { q = '', tag, writer, category, status, trust, asOf } = search
  const filter = { tag, writer, category, status, trust, asOf } as TenantSearchMore
  const pages = useInfiniteQuery({
    queryKey: [asOf === undefined ? 'live' : 'past', 'feed', q, filter],
    queryFn: ({ pageParam, signal }) => fetchFeed(q, filter, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const rows = pages.data?.pages.flatMap((page) => page.memories ?? []) ?? []
  if (pages.isPending) return <Loading />
  if (pages.isError) return <Failure error={pages.error} onRetry={() => pages.refetch()} />
  if (rows.length === 0 && !pages.hasNextPage) return <EmptyFeed isFiltered={q !== '' || hasValue(filter)} />
  return (
    <>
      <BulkActions rows={rows.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
      <DataTable
        caption="Memories"
        columns={columns}
        items={rows}
        keyOf={({ id }) => id}
        nameOf={({ content }) => content.slice(0, 60)}
        sort={search.sort}
        onSort={(sort) => change({ sort }, true)}
        selection={{ ids: selected, onChange: setSelected }}
        hasMore={pages.hasNextPage}
        isLoadingMore={pages.isFetchingNextPage}
        onMore={pages.fetchNextPage}
      />
    </>
  )
}

function hasValue(filter: object): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** The source service; without one, the run or the key that wrote it. */
function writerOf({ writer, runId, keyId }: FeedRow): string {
  return writer ?? runId ?? keyId ?? 'a process'
}

function FeedText({ row }: { readonly row: FeedRow }) {
  return (
    <>
      <Link
        to="/memories/$id"
        params={{ id: row.id }}
        className={classNames(
          'line-clamp-2 break-words hover:underline',
          row.status !== 'active' && 'text-muted line-through',
        )}
      >
        {row.content}
        {row.isCut && ' …'}
      </Link>
      <span className="mt-1 flex flex-wrap items-center gap-1.5 text-muted text-xs">
        <span className="max-w-full truncate md:hidden">
          {row.memoryRef.replace(/^subject:/, '')} · <Named text={writerOf(row)} /> · <Time at={row.changedAt} short />
        </span>
        {row.category !== 'fact' && <Badge>{row.category}</Badge>}
        {row.claimKey !== null && <Badge>{row.claimKey}</Badge>}
        {row.status !== 'active' && <Badge tone="warn">{row.status}</Badge>}
        {row.isQuarantined && <Badge tone="warn">quarantine</Badge>}
      </span>
    </>
  )
}

function TrustMark({ row: { trust } }: { readonly row: FeedRow }) {
  return <Badge tone={trust === 'untrusted' ? 'warn' : trust === 'verified' ? 'good' : 'neutral'}>{trust}</Badge>
}

function EmptyFeed({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <Empty title="No memory matches.">Remove a filter, or search for fewer words.</Empty>
  return (
    <Empty title="There are no memories yet.">
      <code className="font-mono text-xs">
        npm run -s colophon -- --url {location.origin} put notes "the first memory"
      </code>
    </Empty>
  )
}
