import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { classNames } from './class-names.ts'
import { Loading } from './states.tsx'
import { useVirtualRows } from './use-virtual-rows.ts'

export type DataColumn<Item> = {
  readonly id: string
  readonly name: string
  readonly cell: (item: Item) => ReactNode
  /** What rows are sorted by; without it, the column cannot be sorted. */
  readonly sortBy?: (item: Item) => string
  /** Hidden on narrow screens, where the first column shows what matters. */
  readonly isExtra?: boolean
}

type Selection = { readonly ids: ReadonlySet<string>; readonly onChange: (ids: ReadonlySet<string>) => void }

type DataTableProps<Item> = {
  readonly caption: string
  readonly columns: readonly DataColumn<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  readonly nameOf: (item: Item) => string
  /** A column id, with a minus before it for descending; undefined keeps the order of the server. */
  readonly sort: string | undefined
  readonly onSort: (sort: string | undefined) => void
  readonly selection: Selection
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  readonly onMore: () => void
}

const rowHeight = 64

/**
 * A table with columns that sort, rows that can be selected, and more rows at its end. Sorting concerns the loaded rows. Only visible rows
 * are in the page.
 */
export function DataTable<Item>(props: DataTableProps<Item>) {
  const { caption, columns, keyOf, nameOf, sort, onSort, selection } = props
  const items = useMemo(() => sorted(props.items, columns, sort), [props.items, columns, sort])
  const { container, rows, visible } = useVirtualRows(items, keyOf, rowHeight)
  const isAll = items.length > 0 && items.every((item) => selection.ids.has(keyOf(item)))
  const toggle = (id: string) => {
    const ids = new Set(selection.ids)
    if (!ids.delete(id)) ids.add(id)
    selection.onChange(ids)
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <section ref={container} aria-label={caption} tabIndex={0} className="relative min-h-0 flex-1 overflow-auto">
      <table className="w-full table-fixed text-left" aria-rowcount={props.hasMore ? -1 : items.length + 1}>
        <caption className="sr-only">{caption}</caption>
        <thead className="sticky top-0 z-10 bg-raised">
          <tr className="border-line border-b text-muted text-xs">
            <th scope="col" className="w-10 px-3 py-2">
              <input
                type="checkbox"
                aria-label="Select all loaded rows"
                checked={isAll}
                onChange={() => selection.onChange(new Set(isAll ? [] : items.map(keyOf)))}
              />
            </th>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={visible[0]?.start ?? 0} />
          {visible.map(({ index }) => {
            const item = items[index] as Item
            const id = keyOf(item)
            return (
              <tr
                key={id}
                ref={rows.measureElement}
                data-index={index}
                aria-rowindex={index + 2}
                className={classNames(
                  'border-line border-b align-top hover:bg-sunken',
                  selection.ids.has(id) && 'bg-sunken',
                )}
              >
                <td className="px-3 py-2">
                  <input
                    type="checkbox"
                    aria-label={`Select ${nameOf(item)}`}
                    checked={selection.ids.has(id)}
                    onChange={() => toggle(id)}
                  />
                </td>
                {columns.map(({ id: column, cell, isExtra }) => (
                  <td key={column} className={classNames('px-3 py-2', isExtra && 'hidden text-sm md:table-cell')}>
                    {cell(item)}
                  </td>
                ))}
              </tr>
            )
          })}
          <Spacer height={rows.getTotalSize() - (visible.at(-1)?.end ?? 0)} />
        </tbody>
      </table>
      <MoreRows {...props} />
    </section>
  )
}

/** Stands for the rows that are not in the page. */
function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null
  return (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row of a table without controls is not focusable.
    <tr aria-hidden="true">
      <td style={{ height, padding: 0 }} />
    </tr>
  )
}

type HeaderCellProps<Item> = Pick<DataTableProps<Item>, 'sort' | 'onSort'> & { readonly column: DataColumn<Item> }

/** Ascending, descending, then the order of the server again. */
function HeaderCell<Item>({ column: { id, name, sortBy, isExtra }, sort, onSort }: HeaderCellProps<Item>) {
  const order = sort === id ? 'ascending' : sort === `-${id}` ? 'descending' : undefined
  const next = order === undefined ? id : order === 'ascending' ? `-${id}` : undefined
  const place = isExtra ? 'hidden w-28 xl:w-36 px-3 py-2 font-medium md:table-cell' : 'px-3 py-2 font-medium'
  return (
    <th scope="col" className={place} {...(order === undefined ? {} : { 'aria-sort': order })}>
      {sortBy === undefined ? (
        name
      ) : (
        <button type="button" className="cursor-pointer hover:text-ink" onClick={() => onSort(next)}>
          {name} <span aria-hidden="true">{order === undefined ? '' : order === 'ascending' ? '▲' : '▼'}</span>
        </button>
      )}
    </th>
  )
}

/** Fetches the next page when the end of the table comes into view. */
function MoreRows<Item>({ hasMore, isLoadingMore, onMore }: DataTableProps<Item>) {
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = end.current
    if (element === null || !hasMore || isLoadingMore) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && onMore(),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [hasMore, isLoadingMore, onMore])
  return <div ref={end}>{isLoadingMore && <Loading label="More" />}</div>
}

function sorted<Item>(
  items: readonly Item[],
  columns: readonly DataColumn<Item>[],
  sort: string | undefined,
): readonly Item[] {
  const by = columns.find(({ id }) => id === sort?.replace(/^-/, ''))?.sortBy
  if (by === undefined) return items
  const sign = sort?.startsWith('-') ? -1 : 1
  return [...items].sort((a, b) => sign * by(a).localeCompare(by(b)))
}
