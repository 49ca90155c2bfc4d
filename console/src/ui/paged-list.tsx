import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { Failure, Loading } from './states.tsx'
import { useVirtualRows } from './use-virtual-rows.ts'

type PagedListProps<Item> = {
  /** The query that fetches the items, page by page. */
  readonly pages: UseInfiniteQueryResult<unknown>
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  readonly render: (item: Item) => ReactNode
  readonly label: string
  readonly rowHeight: number
  readonly className: string
  /** Shown if there are no items. */
  readonly empty?: ReactNode
}

/** A virtual list: only visible rows are rendered, and the next page is fetched before the end is reached. */
export function PagedList<Item>(props: PagedListProps<Item>) {
  const { pages, items, keyOf, render, label, rowHeight, className, empty } = props
  const { hasNextPage: hasMore, isFetchingNextPage: isLoadingMore, fetchNextPage: onMore } = pages
  const { container, rows, visible } = useVirtualRows(items, keyOf, rowHeight)
  const last = visible.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && last >= items.length - 30) onMore()
  }, [hasMore, isLoadingMore, last, items.length, onMore])
  return (
    <>
      {pages.isPending && <Loading />}
      {pages.isError && <Failure error={pages.error} onRetry={() => pages.refetch()} />}
      {pages.isSuccess && items.length === 0 && empty}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard. */}
      <section ref={container} tabIndex={0} aria-label={label} className={`overflow-y-auto ${className}`}>
        <ul style={{ height: rows.getTotalSize(), position: 'relative' }}>
          {visible.map((row) => (
            <li
              key={row.key}
              data-index={row.index}
              ref={rows.measureElement}
              className="absolute inset-x-0 top-0 border-line border-b"
              style={{ transform: `translateY(${row.start}px)` }}
              aria-setsize={hasMore ? -1 : items.length}
              aria-posinset={row.index + 1}
            >
              {render(items[row.index] as Item)}
            </li>
          ))}
        </ul>
        {isLoadingMore && <Loading label="More" />}
      </section>
    </>
  )
}
