/** The placeholder that replaces a secret. Clients rely on this one spelling, and scanners skip its inside. */
export function markerOf(id: string): string {
  return `[REDACTED:${id}]`
}

/** A range of a text in UTF-16 units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number }

const anyMarker = /\[REDACTED:[^\]\s[]{1,200}\]/g

/** The markers that a text already contains, in order. */
export function findMarkers(text: string): readonly Span[] {
  if (!text.includes('[REDACTED:')) return []
  return Array.from(text.matchAll(anyMarker), (match) => ({ start: match.index, end: match.index + match[0].length }))
}

/** The end of the marker-free text that begins at `start`. It is `start` itself inside a marker. */
export function markerFreeUntil(markers: readonly Span[], start: number): number {
  return Math.max(start, firstSpanEndingAfter(markers, start)?.start ?? Number.POSITIVE_INFINITY)
}

/** The first span that ends after `offset`; the spans are in order. A binary search. */
export function firstSpanEndingAfter(spans: readonly Span[], offset: number): Span | undefined {
  let low = 0
  let high = spans.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((spans[middle]?.end ?? 0) > offset) high = middle
    else low = middle + 1
  }
  return spans[low]
}

/** Splits markers into genuine ones, whose id is known, and foreign ones, which a client may have written around a secret. */
export function splitMarkers(
  text: string,
  isKnownId: (id: string) => boolean,
): { readonly known: readonly Span[]; readonly foreign: readonly Span[] } {
  const known: Span[] = []
  const foreign: Span[] = []
  for (const span of findMarkers(text)) {
    const id = text.slice(span.start + '[REDACTED:'.length, span.end - 1)
    ;(isKnownId(id) ? known : foreign).push(span)
  }
  return { known, foreign }
}
