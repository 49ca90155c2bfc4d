import type { Timeline } from '../../../../src/client/index.ts'

export type Row = Timeline['rows'][number]
export type Span = Row['spans'][number]

/** Instants in milliseconds that are drawn from left to right. */
export type Range = { readonly from: number; readonly to: number }

const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000

/** The instants at which something changed, in order, each once. */
export function changesOf(rows: readonly Row[]): readonly number[] {
  const all = rows.flatMap(({ spans }) => spans.flatMap(({ from, to }) => (to === null ? [from.at] : [from.at, to.at])))
  return [...new Set(all.map((at) => Date.parse(at)))].sort((a, b) => a - b)
}

/** From shortly before the first change until now. */
export function rangeOf(changes: readonly number[], now: number): Range {
  const first = Math.min(changes[0] ?? now, now)
  const width = Math.max(now - first, minuteMs)
  return { from: first - width * 0.03, to: first + width }
}

/** Where an instant is, in percent from the left. */
export function placeOf(at: number, { from, to }: Range): number {
  return Math.min(Math.max(((at - from) / (to - from)) * 100, 0), 100)
}

/** Dates for the axis: whole days, hours or minutes, at most about six of them. */
export function datesOf({ from, to }: Range): readonly { readonly at: number; readonly text: string }[] {
  const steps = [minuteMs, 5 * minuteMs, 15 * minuteMs, hourMs, 6 * hourMs, dayMs, 7 * dayMs, 30 * dayMs, 365 * dayMs]
  const step = steps.find((size) => (to - from) / size <= 8) ?? 365 * dayMs
  const format = new Intl.DateTimeFormat(
    'en-GB',
    step >= dayMs ? { weekday: 'short', day: 'numeric', month: 'short' } : { hour: '2-digit', minute: '2-digit' },
  )
  // Steps begin at midnight of the reader's time zone.
  const start = new Date(from)
  const midnight = new Date(start.getFullYear(), start.getMonth(), start.getDate()).getTime()
  const dates: { at: number; text: string }[] = []
  for (let at = midnight; at < to; at += step) {
    if (at >= from) dates.push({ at, text: format.format(at).replaceAll(',', '') })
  }
  return dates
}

/** What was current in a row at a position; undefined when nothing was. */
export function currentAt({ spans }: Pick<Row, 'spans'>, position: number): Span | undefined {
  return spans.findLast(({ from, to }) => from.position <= position && (to === null || to.position > position))
}

/** It was stated and lost at once, so it was never current. */
export function isLost({ from, to }: Pick<Span, 'from' | 'to'>): boolean {
  return to !== null && to.position === from.position
}

/** A part of a row: a content while it was current, or a gap in which nothing was. */
export type Part =
  | { readonly kind: 'span'; readonly span: Span; readonly crosses: boolean }
  | { readonly kind: 'gap'; readonly from: string; readonly to: string | null; readonly reason: string }

/** The parts of a row in order. A crossing is where another content became the current one. */
export function partsOf(row: Pick<Row, 'spans'>): readonly Part[] {
  const parts: Part[] = []
  let before: Span | undefined
  for (const span of row.spans.filter((item) => !isLost(item))) {
    const end = before?.to
    if (before && end && end.position < span.from.position)
      parts.push({ kind: 'gap', from: end.at, to: span.from.at, reason: before.endedReason ?? 'ended' })
    parts.push({ kind: 'span', span, crosses: before !== undefined && before.memoryId !== span.memoryId })
    before = span
  }
  if (before?.to) parts.push({ kind: 'gap', from: before.to.at, to: null, reason: before.endedReason ?? 'ended' })
  return parts
}

/** How a writer is drawn: a colour, and a letter for those who do not see colours. */
export type WriterMark = { readonly name: string; readonly letter: string; readonly colour: string }

/** The marks of all writers in the rows. Who states something without being a writer is a key. */
export function marksOf(rows: readonly Row[]): ReadonlyMap<string | null, WriterMark> {
  const names = new Set(rows.flatMap(({ spans }) => spans.map(({ writer }) => writer)))
  const writers = [...names].filter((name) => name !== null).sort()
  const marks = new Map<string | null, WriterMark>()
  for (const [index, name] of writers.entries())
    marks.set(name, { name, letter: letterOf(index), colour: `var(--writer-${(index % writerColours) + 1})` })
  if (names.has(null)) marks.set(null, { name: 'a key or an edit', letter: '✎', colour: 'var(--muted)' })
  return marks
}

const writerColours = 6

/** A to Z, then A2 and so on. */
function letterOf(index: number): string {
  const round = Math.floor(index / 26)
  return `${String.fromCharCode(65 + (index % 26))}${round === 0 ? '' : round + 1}`
}
