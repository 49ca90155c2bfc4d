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
  let low = 0
  let high = markers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((markers[middle]?.end ?? 0) > start) high = middle
    else low = middle + 1
  }
  return Math.max(start, markers[low]?.start ?? Number.POSITIVE_INFINITY)
}

/** Replaces markers by what `judge` says of their inside; null leaves one as it is. Anybody can write a marker around a secret. */
export function judgeMarkers(text: string, judge: (id: string) => string | null): string {
  if (!text.includes('[REDACTED:')) return text
  return text.replace(anyMarker, (marker) => judge(marker.slice('[REDACTED:'.length, -1)) ?? marker)
}
