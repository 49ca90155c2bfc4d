import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useAddress } from '../../app/use-address.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { PagedList } from '../../ui/paged-list.tsx'
import { Empty } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { fetchRows, type Row } from './rows.ts'

/** The entries of a ref, newest first, page by page. */
export function EntryList({ memoryRef }: { readonly memoryRef: string }) {
  const [search] = useAddress()
  const { tag, category, status, asOf } = search
  const pages = useInfiniteQuery({
    // A view of the past does not change, so a write does not refresh it.
    queryKey: [asOf === undefined ? 'live' : 'past', 'entries', memoryRef, tag, category, status, asOf],
    queryFn: ({ pageParam, signal }) =>
      fetchRows({ memoryRef, tag, category, status, asOf, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
  })
  const rows = pages.data?.pages.flatMap((page) => page.rows) ?? []
  return (
    <PagedList
      pages={pages}
      empty={<Empty title="No entries.">No entry matches the filter, or there was none at that position.</Empty>}
      className="min-h-0 flex-1"
      label="Entries"
      items={rows}
      keyOf={({ id }) => id}
      rowHeight={68}
      render={(row) => <EntryRow row={row} />}
    />
  )
}

function EntryRow({ row }: { readonly row: Row }) {
  return (
    <Link to="/memories/$id" params={{ id: row.id }} className="block px-4 py-2 hover:bg-sunken">
      <span
        className={classNames('line-clamp-2 break-words', row.status === 'superseded' && 'text-muted line-through')}
      >
        {row.content}
      </span>
      <span className="mt-1 flex flex-wrap items-center gap-1.5 text-muted text-xs">
        <Time at={row.createdAt} short />
        {row.service !== undefined && <Badge tone="accent">{row.service}</Badge>}
        {row.category !== undefined && <Badge>{row.category}</Badge>}
        {row.status !== undefined && row.status !== 'active' && <Badge tone="warn">{row.status}</Badge>}
        {(row.sources ?? 0) > 1 && <Badge tone="good">{row.sources} sources</Badge>}
        {row.expiresAt !== undefined && (
          <Badge tone="warn">
            expires <Time at={row.expiresAt} short />
          </Badge>
        )}
        {row.tags
          .filter((tag) => !tag.startsWith('source:service:'))
          .map((tag) => (
            <Badge key={tag}>{tag}</Badge>
          ))}
      </span>
    </Link>
  )
}
