import { type Span, spanFrom, splitMarkers } from './rules/marker.ts'
import type { ExplainsMarker } from './rules/marker-ids.ts'

/** A text without the brackets of markers that no id explains, and how its places translate back. */
export type Unwrapped = {
  readonly text: string
  /** What in the given text a span comes from, brackets included; nothing when it touches no such marker. */
  readonly toOriginal: (span: Span) => Span | undefined
}

const opening = '[REDACTED:'

/**
 * Anybody can write `[REDACTED:` in front of a secret. Inside of it a name that stands before (`password=`) no longer
 * counts, so the text is read once more as if the brackets were not there. Nothing when all markers are explained.
 */
export function unwrapMarkers(text: string, explains: ExplainsMarker): Unwrapped | undefined {
  const wrapped = findWrapped(text, explains)
  if (wrapped.length === 0) return undefined
  const pieces: string[] = []
  const inside: (Span & { readonly original: Span })[] = []
  let length = 0
  let done = 0
  const keep = (end: number) => {
    pieces.push(text.slice(done, end))
    length += end - done
    done = end
  }
  for (const { start, end } of wrapped) {
    keep(start)
    const from = length
    done = start + opening.length
    const isClosed = text[end - 1] === ']'
    keep(isClosed ? end - 1 : end)
    done = end
    inside.push({ start: from, end: length, original: { start, end } })
  }
  keep(text.length)
  const shift = (place: number) => {
    let low = 0
    let high = inside.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((inside[middle]?.end ?? 0) <= place) low = middle + 1
      else high = middle
    }
    const before = inside[low - 1]
    return before ? place - before.end + before.original.end : place
  }
  const toOriginal = ({ start, end }: Span) => {
    const first = spanFrom(inside, start) as (typeof inside)[number] | undefined
    if (first === undefined || first.start >= end) return undefined
    const last = spanFrom(inside, end - 1) as (typeof inside)[number] | undefined
    return {
      start: first.start <= start ? first.original.start : shift(start),
      end: last !== undefined && last.start < end ? last.original.end : shift(end - 1) + 1,
    }
  }
  return { text: pieces.join(''), toOriginal }
}

/** Every `[REDACTED:` that begins no marker of ours, up to its bracket, or to the end of its line or of 200 characters. */
function findWrapped(text: string, explains: ExplainsMarker): readonly Span[] {
  if (!text.includes(opening)) return []
  const { ours } = splitMarkers(text, explains)
  const wrapped: Span[] = []
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, start + opening.length)) {
    if (spanFrom(ours, start)?.start === start) continue
    const inside = /^[^\]\r\n[]{0,200}\]?/.exec(text.slice(start + opening.length, start + opening.length + 201))
    wrapped.push({ start, end: start + opening.length + (inside?.[0].length ?? 0) })
  }
  return wrapped
}
