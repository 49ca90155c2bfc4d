import { firstSpanEndingAfter, type Span, splitMarkers } from './rules/marker.ts'
import type { IsKnownMarkerId } from './rules/marker-ids.ts'

/** A text without the brackets of forged markers, and a map from its offsets back to the original text. */
export type Unwrapped = {
  readonly text: string
  /** The span of the original text, brackets included; undefined when the span touches no forged marker. */
  readonly toOriginal: (span: Span) => Span | undefined
}

const opening = '[REDACTED:'

/**
 * A client can write `[REDACTED:` in front of a secret to hide it: a rule that needs the name before the value (`password=`)
 * would no longer match. So the text is scanned a second time without the brackets of markers whose id is unknown. Undefined
 * when every marker has a known id.
 */
export function unwrapMarkers(text: string, isKnownId: IsKnownMarkerId): Unwrapped | undefined {
  const wrapped = findWrapped(text, isKnownId)
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
  const toOriginalOffset = (offset: number) => {
    let low = 0
    let high = inside.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((inside[middle]?.end ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    const before = inside[low - 1]
    return before ? offset - before.end + before.original.end : offset
  }
  const toOriginal = ({ start, end }: Span) => {
    const first = firstSpanEndingAfter(inside, start) as (typeof inside)[number] | undefined
    if (first === undefined || first.start >= end) return undefined
    const last = firstSpanEndingAfter(inside, end - 1) as (typeof inside)[number] | undefined
    return {
      start: first.start <= start ? first.original.start : toOriginalOffset(start),
      end: last !== undefined && last.start < end ? last.original.end : toOriginalOffset(end - 1) + 1,
    }
  }
  return { text: pieces.join(''), toOriginal }
}

/**
 * Every `[REDACTED:` that does not start a marker with a known id: up to its closing bracket, the end of the line, or 200
 * characters.
 */
function findWrapped(text: string, isKnownId: IsKnownMarkerId): readonly Span[] {
  if (!text.includes(opening)) return []
  const { known } = splitMarkers(text, isKnownId)
  const wrapped: Span[] = []
  for (let start = text.indexOf(opening); start >= 0; start = text.indexOf(opening, start + opening.length)) {
    if (firstSpanEndingAfter(known, start)?.start === start) continue
    const inside = /^[^\]\r\n[]{0,200}\]?/.exec(text.slice(start + opening.length, start + opening.length + 201))
    wrapped.push({ start, end: start + opening.length + (inside?.[0].length ?? 0) })
  }
  return wrapped
}
