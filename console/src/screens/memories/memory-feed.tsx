import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { TenantSearchAnswer, TenantSearchMore } from '../../../../src/client/index.ts'
import { sinceWrites } from '../../app/moment.ts'
import { Named } from '../../app/names.tsx'
import { fetchFeed } from '../../app/patch-feed.ts'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type DataColumn, DataTable } from '../../ui/data-table.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { RefLink } from '../subjects/ref-link.tsx'
import { BulkActions } from './bulk-actions.tsx'
import { TagBadge } from './tag-badge.tsx'

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

const columnsOfRef = columns.filter(({ id }) => id !== 'ref')

/** Every memory of the tenant, the last change first, or those of one ref, the newest first; with filters that combine. */
export function MemoryFeed({ memoryRef }: { readonly memoryRef?: string | undefined }) {
  const [search, change] = useAddress()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const { q = '', tag, writer, category, status, trust, asOf } = search
  const filter = { memoryRef, tag, writer, category, status, trust, asOf } as TenantSearchMore
  // A view of the past does not change, so a write does not refresh it.
  const since = sinceWrites(asOf)
  const pages = useInfiniteQuery({
    queryKey: memoryRef === undefined ? [since, 'feed', q, filter] : [since, 'entries', memoryRef, q, filter],
    queryFn: ({ pageParam, signal }) => fetchFeed(q, filter, { cursor: pageParam, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const rows = pages.data?.pages.flatMap((page) => page.memories ?? []) ?? []
  if (pages.isPending) return <Loading />
  if (hasFailed(pages)) return <Failure error={pages.error} onRetry={() => pages.refetch()} />
  if (rows.length === 0 && !pages.hasNextPage)
    return <EmptyFeed isFiltered={q !== '' || hasValue(filter)} memoryRef={memoryRef} />
  return (
    <>
      <BulkActions rows={rows.filter(({ id }) => selected.has(id))} onDone={() => setSelected(new Set())} />
      <DataTable
        caption="Memories"
        columns={memoryRef === undefined ? columns : columnsOfRef}
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

function hasValue({ memoryRef: _ref, ...filter }: TenantSearchMore): boolean {
  return Object.values(filter).some((value) => value !== undefined)
}

/** The source service; without one, the run or the key that wrote it. */
function writerOf({ writer, runId, keyId }: FeedRow): string {
  return writer ?? runId ?? keyId ?? 'a process'
}

/** Tags that the server sets. The column of the writer says the same in words. */
const isOfOrigin = /^(?:source|run-id):/

/** Tags of a row; the page of the memory has all of them. */
const tagsMax = 5

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
        {row.sources > 1 && <Badge tone="good">{row.sources} sources</Badge>}
        {row.expiresAt !== undefined && (
          <Badge tone="warn">
            expires <Time at={row.expiresAt} short />
          </Badge>
        )}
        {row.tags
          .filter((tag) => !isOfOrigin.test(tag))
          .slice(0, tagsMax)
          .map((tag) => (
            <TagBadge key={tag} tag={tag} />
          ))}
      </span>
    </>
  )
}

function TrustMark({ row: { trust } }: { readonly row: FeedRow }) {
  return <Badge tone={trust === 'untrusted' ? 'warn' : trust === 'verified' ? 'good' : 'neutral'}>{trust}</Badge>
}

type EmptyFeedProps = { readonly isFiltered: boolean; readonly memoryRef: string | undefined }

function EmptyFeed({ isFiltered, memoryRef }: EmptyFeedProps) {
  if (isFiltered) return <Empty title="No memory matches.">Remove a filter, or search for fewer words.</Empty>
  if (memoryRef !== undefined) return <Empty title="There are no memories in this ref." />
  return (
    <Empty title="There are no memories yet.">
      <code className="font-mono text-xs">
        npm run -s colophon -- --url {location.origin} put notes "the first memory"
      </code>
    </Empty>
  )
}
