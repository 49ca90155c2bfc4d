import type { ReactNode } from 'react'

export type Column<Item> = {
  readonly name: string
  readonly cell: (item: Item) => ReactNode
  /** Show the name to screen readers only, as for a column of buttons. */
  readonly isNameHidden?: boolean
}

type TableProps<Item> = {
  readonly caption: string
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
}

/** A table of a few dozen rows. For longer lists, use PagedList. */
export function Table<Item>({ caption, columns, items, keyOf }: TableProps<Item>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard.
    <div tabIndex={0} className="relative overflow-x-auto">
      <table className="w-full text-left">
        <caption className="sr-only">{caption}</caption>
        <thead>
          <tr className="border-line border-b text-muted text-xs">
            {columns.map(({ name, isNameHidden }) => (
              <th key={name} scope="col" className="px-4 py-2 font-medium">
                <span className={isNameHidden ? 'sr-only' : ''}>{name}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} className="border-line border-b">
              {columns.map(({ name, cell }) => (
                <td key={name} className="px-4 py-2 align-top">
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
