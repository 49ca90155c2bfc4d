import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'

/** The rows of a long list that are in view, in a container that scrolls. */
export function useVirtualRows<Item>(items: readonly Item[], keyOf: (item: Item) => string, rowHeight: number) {
  const container = useRef<HTMLElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => container.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => keyOf(items[index] as Item),
  })
  return { container, rows, visible: rows.getVirtualItems() }
}
