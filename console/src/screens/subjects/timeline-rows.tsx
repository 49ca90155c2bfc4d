import { Link } from '@tanstack/react-router'
import { formatMoment } from '../../app/moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { isLost, partsOf, placeOf, type Range, type Row, type Span, type WriterMark } from './timeline.ts'

type Marks = ReadonlyMap<string | null, WriterMark>

type RowsProps = {
  readonly rows: readonly Row[]
  readonly range: Range
  readonly marks: Marks
  /** The instant that the page shows. */
  readonly moment: number
}

/** One row for each claim: what was current, by writer. A diamond is where another content won, a dashed box where nothing was current. */
export function TimelineRows({ rows, range, marks, moment }: RowsProps) {
  return (
    <ul aria-label="TimelineRows" className="divide-y divide-line">
      {rows.map((row) => (
        <li key={row.id} className="grid gap-x-3 py-2 sm:grid-cols-[11rem_1fr]">
          <div className="flex min-w-0 flex-wrap items-center gap-1.5 pb-1">
            <Link
              to="/claims"
              search={{ claim: row.id }}
              className="max-w-full truncate font-medium hover:underline"
              title={nameOf(row)}
            >
              {nameOf(row)}
            </Link>
            {row.isContested && <Badge tone="warn">contested</Badge>}
            {row.isPinned && <Badge tone="accent">pinned</Badge>}
          </div>
          <Track row={row} range={range} marks={marks} moment={moment} />
        </li>
      ))}
    </ul>
  )
}

/** A claim without a key is named after its content. */
export function nameOf({ claimKey, category, spans }: Row): string {
  return claimKey ?? `${category}: ${spans.at(-1)?.content ?? ''}`
}

type TrackProps = Omit<RowsProps, 'rows'> & { readonly row: Row }

function Track({ row, range, marks, moment }: TrackProps) {
  const lost = row.spans.filter(isLost)
  return (
    <ol aria-label={`${nameOf(row)} over time`} className="relative h-10 overflow-hidden">
      {partsOf(row).map((part) =>
        part.kind === 'gap' ? (
          <Gap key={`gap ${part.from}`} {...part} range={range} />
        ) : (
          <SpanBox
            key={`${part.span.memoryId} ${part.span.version}`}
            {...part}
            range={range}
            mark={marks.get(part.span.writer)}
            isShown={isCurrent(part.span, moment)}
          />
        ),
      )}
      {lost.map((span) => (
        <LostMark key={`${span.memoryId} ${span.version}`} span={span} range={range} mark={marks.get(span.writer)} />
      ))}
      <li
        aria-hidden
        className="pointer-events-none absolute inset-y-0 w-px bg-ink"
        style={{ left: `${placeOf(moment, range)}%` }}
      />
    </ol>
  )
}

function isCurrent({ from, to }: Span, moment: number): boolean {
  return Date.parse(from.at) <= moment && (to === null || Date.parse(to.at) > moment)
}

/** The percentages of a part, at least wide enough to be seen. */
function between(from: string, to: string | null, range: Range): { readonly left: string; readonly width: string } {
  const left = placeOf(Date.parse(from), range)
  const right = to === null ? 100 : placeOf(Date.parse(to), range)
  return { left: `${left}%`, width: `max(${right - left}%, 3px)` }
}

type SpanBoxProps = {
  readonly span: Span
  readonly crosses: boolean
  readonly range: Range
  readonly mark: WriterMark | undefined
  readonly isShown: boolean
}

function SpanBox({ span, crosses, range, mark, isShown }: SpanBoxProps) {
  const colour = mark?.colour ?? 'var(--muted)'
  const words = `${span.content}${span.isCut ? ' …' : ''}`
  const until = span.to === null ? 'still current' : `until ${dateOf(span.to)}, ${span.endedReason ?? 'ended'}`
  const label = `${words} (${mark?.name ?? ''}, from ${dateOf(span.from)}, ${until})`
  return (
    <li className="absolute top-0 h-7" style={between(span.from.at, span.to?.at ?? null, range)}>
      <Link
        to="/memories/$id"
        params={{ id: span.memoryId }}
        search={span.to === null ? {} : { asOf: String(span.from.position) }}
        aria-label={`${crosses ? 'Another content won: ' : ''}${label}`}
        title={label}
        className={classNames(
          'flex h-full items-center gap-1.5 overflow-hidden rounded-sm border-l-4 px-1.5 text-xs whitespace-nowrap text-ink hover:underline',
          isShown ? 'outline-1 outline-ink -outline-offset-1' : 'opacity-80',
        )}
        style={{ borderLeftColor: colour, backgroundColor: `color-mix(in srgb, ${colour} 22%, var(--raised))` }}
      >
        {/* Not text, so that the name of the link is what it shows. */}
        <b aria-hidden data-letter={mark?.letter} className="before:content-[attr(data-letter)]" />
        <span className="truncate">{words}</span>
      </Link>
      {crosses && (
        <i
          aria-hidden
          data-crossing
          className="pointer-events-none absolute top-1/2 -left-1 size-2.5 -translate-y-1/2 rotate-45 border border-ink bg-raised"
        />
      )}
    </li>
  )
}

type GapProps = { readonly from: string; readonly to: string | null; readonly reason: string; readonly range: Range }

function Gap({ from, to, reason, range }: GapProps) {
  const words = `nothing current: ${reason}`
  return (
    <li
      data-gap
      title={words}
      className="absolute top-0 flex h-7 items-center overflow-hidden rounded-sm border border-muted border-dashed px-1.5 text-muted text-xs whitespace-nowrap"
      style={between(from, to, range)}
    >
      <span className="truncate">{words}</span>
    </li>
  )
}

type LostMarkProps = { readonly span: Span; readonly range: Range; readonly mark: WriterMark | undefined }

function LostMark({ span, range, mark }: LostMarkProps) {
  const sign = mark?.letter === undefined ? '×' : `×${mark.letter}`
  const label = `${sign} Stated and lost at once: ${span.content} (${mark?.name ?? ''}, ${dateOf(span.from)})`
  return (
    <li className="absolute bottom-0" style={{ left: `${placeOf(Date.parse(span.from.at), range)}%` }}>
      <Link
        to="/memories/$id"
        params={{ id: span.memoryId }}
        aria-label={label}
        title={label}
        className="block -translate-x-1/2 text-xs leading-3"
        style={{ color: mark?.colour }}
      >
        {sign}
      </Link>
    </li>
  )
}

function dateOf({ at }: { readonly at: string }): string {
  return formatMoment({ at })
}

/** Which colour and letter stands for which writer. */
export function Legend({ marks }: { readonly marks: Marks }) {
  return (
    <ul aria-label="Writers" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {[...marks.values()].map(({ name, letter, colour }) => (
        <li key={letter} className="flex items-center gap-1.5">
          <span
            aria-hidden
            className="inline-block border-l-4 px-1 font-bold"
            style={{ borderLeftColor: colour, backgroundColor: `color-mix(in srgb, ${colour} 22%, var(--raised))` }}
          >
            {letter}
          </span>
          {name}
        </li>
      ))}
      <li className="flex items-center gap-1.5 text-muted">
        <i aria-hidden className="inline-block size-2 rotate-45 border border-ink" /> another content won
      </li>
      <li className="flex items-center gap-1.5 text-muted">
        <i aria-hidden className="inline-block h-3 w-5 border border-muted border-dashed" /> nothing current: deleted,
        erased or quarantined
      </li>
      <li className="text-muted">× stated and lost at once</li>
    </ul>
  )
}
