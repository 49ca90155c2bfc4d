import { type RefObject, useEffect, useRef } from 'react'

/** In a row that is wider than the display, scrolls to the active one, after each change of `value`. */
export function useShowActive<Row extends HTMLElement>(active: string, value: string): RefObject<Row | null> {
  const row = useRef<Row>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value says when, the document says what.
  useEffect(() => {
    row.current?.querySelector(active)?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [active, value])
  return row
}
