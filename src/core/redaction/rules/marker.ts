/** What stands where a secret was. Readers look for this one spelling, and no scanner looks inside it. */
export function markerOf(id: string): string {
  return `[REDACTED:${id}]`
}

export type Span = { readonly start: number; readonly end: number }

const anyMarker = /\[REDACTED:[^\]\s[]{1,200}\]/g

/** Where a text already holds markers, in order. */
export function markersIn(text: string): readonly Span[] {
  if (!text.includes('[REDACTED:')) return []
  return Array.from(text.matchAll(anyMarker), (match) => ({ start: match.index, end: match.index + match[0].length }))
}

/** Up to where the text from `start` on is free of markers: `start` itself inside of one. */
export function freeUntil(markers: readonly Span[], start: number): number {
  return Math.max(start, spanFrom(markers, start)?.start ?? Number.POSITIVE_INFINITY)
}

/** The first of some spans, in order, that ends behind a place. */
export function spanFrom(spans: readonly Span[], place: number): Span | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) > place) high = middle
    else low = middle + 1
  }
  return spans[low]
}

/** Markers whose id is known stand for a secret that is gone. Anybody can write the others around a secret. */
export function splitMarkers(
  text: string,
  explains: (id: string) => boolean,
): { readonly ours: readonly Span[]; readonly foreign: readonly Span[] } {
  const ours: Span[] = []
  const foreign: Span[] = []
  for (const span of markersIn(text)) {
    const id = text.slice(span.start + '[REDACTED:'.length, span.end - 1)
    ;(explains(id) ? ours : foreign).push(span)
  }
  return { ours, foreign }
}
