import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isClientError } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { sinceWrites } from '../../app/moment.ts'
import { useAddress } from '../../app/use-address.ts'
import { ApplyingField } from '../../ui/applying-field.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextDiff } from '../../ui/diff.tsx'
import { Panel, ScreenTitle } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { type ComparedMemory, type Comparison, compareMemories } from './compare-moments.ts'

const dayMs = 24 * 3_600_000
/** Memories of each moment that are compared. A screen with more differences would not be read. */
const comparedMax = 1_000

/** Two moments side by side: what was added, changed, superseded and erased between them. */
export function CompareScreen() {
  const [search, change] = useAddress()
  const { from = new Date(startOfDay() - dayMs).toISOString(), to, subject, ref } = search
  const compared = useQuery({
    queryKey: [sinceWrites(to), 'compare', from, to, subject, ref],
    queryFn: ({ signal }) => compare({ from, to, subject, ref }, signal),
  })
  return (
    <>
      <ScreenTitle title="Compare">
        {subject ?? ref ?? 'All memories'}: <Moment moment={from} /> and{' '}
        {to === undefined ? 'now' : <Moment moment={to} />}
      </ScreenTitle>
      <div className="mb-4 flex flex-wrap items-end gap-2">
        {presets().map(([name, at]) => (
          <Button key={name} small aria-pressed={from === at} onClick={() => change({ from: at, to: undefined })}>
            {name}
          </Button>
        ))}
        <ApplyingField
          label="From (instant or position)"
          value={search.from}
          onApply={(value) => change({ from: value })}
        />
        <ApplyingField label="To (now)" value={to} onApply={(value) => change({ to: value })} />
        <ApplyingField
          label="Subject"
          value={subject}
          onApply={(value) => change({ subject: value, ref: undefined })}
        />
        <ApplyingField label="Ref" value={ref} onApply={(value) => change({ ref: value, subject: undefined })} />
      </div>
      {compared.isPending && <Loading />}
      {compared.isError && <Failure error={compared.error} onRetry={() => compared.refetch()} />}
      {compared.isSuccess && <Differences {...compared.data} />}
    </>
  )
}

type Asked = {
  readonly from: string
  readonly to: string | undefined
  readonly subject: string | undefined
  readonly ref: string | undefined
}
type Compared = Comparison & { readonly ends: ReadonlyMap<string, string>; readonly isCut: boolean }

async function compare(asked: Asked, signal: AbortSignal): Promise<Compared> {
  const [before, after] = await Promise.all([
    memoriesAt(asked, asked.from, signal),
    memoriesAt(asked, asked.to, signal),
  ])
  const comparison = compareMemories(before.memories, after.memories)
  const ends = await Promise.all(
    comparison.gone.slice(0, 50).map(async ({ id }) => [id, await endOf(id, signal)] as const),
  )
  return { ...comparison, ends: new Map(ends), isCut: before.isCut || after.isCut }
}

async function memoriesAt({ subject, ref }: Asked, asOf: string | undefined, signal: AbortSignal) {
  const wanted = subject === undefined ? ref : `subject:${subject}`
  const memories: ComparedMemory[] = []
  let cursor: string | undefined
  do {
    const more = { kinds: ['memories' as const], trustMin: 'untrusted' as const, limit: 200, asOf, cursor }
    const page = await api.memory.searchAll(wanted ?? '', more, { signal })
    memories.push(...(page.memories ?? []).filter(({ memoryRef }) => wanted === undefined || memoryRef === wanted))
    cursor = page.cursor
  } while (cursor !== undefined && memories.length < comparedMax)
  return { memories, isCut: cursor !== undefined }
}

/** How a memory ended: what another content replaced is still there as superseded. */
async function endOf(id: string, signal: AbortSignal): Promise<string> {
  try {
    const { status } = await api.memories.get(id, {}, { signal })
    return status === 'active' ? 'changed' : status
  } catch (error) {
    if (isClientError(error) && error.status === 404) return 'deleted or erased'
    throw error
  }
}

function Differences({ added, changed, gone, same, ends, isCut }: Compared) {
  if (added.length + changed.length + gone.length === 0)
    return <Empty title="Nothing changed between these moments.">{same} memories are the same.</Empty>
  return (
    <div className="grid gap-4">
      <p role="status">
        {added.length} added, {changed.length} changed, {gone.length} superseded or erased, {same} the same.
        {isCut &&
          ` Only the last ${comparedMax.toLocaleString()} changes of each moment are compared: choose a subject or a ref.`}
      </p>
      <Part
        title="Changed"
        items={changed.map(({ before, after }) => [
          after,
          <TextDiff key="diff" before={before.content} after={after.content} />,
          'changed',
          'accent',
        ])}
      />
      <Part
        title="Added"
        items={added.map((memory) => [
          memory,
          <ins key="ins" className="text-good no-underline">
            {memory.content}
          </ins>,
          'added',
          'good',
        ])}
      />
      <Part
        title="Superseded or erased"
        items={gone.map((memory) => [
          memory,
          <del key="del">{memory.content}</del>,
          ends.get(memory.id) ?? 'ended',
          'warn',
        ])}
      />
    </div>
  )
}

type Item = readonly [memory: ComparedMemory, text: ReactNode, word: string, tone: Tone]

function Part({ title, items }: { readonly title: string; readonly items: readonly Item[] }) {
  if (items.length === 0) return null
  return (
    <Panel title={`${title} (${items.length})`}>
      <ul aria-label={title} className="divide-y divide-line">
        {items.map(([memory, text, word, tone]) => (
          <li key={memory.id} className="px-4 py-2">
            <div className="break-words">{text}</div>
            <p className="mt-1 flex flex-wrap items-center gap-2 text-muted text-xs">
              <Badge tone={tone}>{word}</Badge>
              <Link to="/memories/$id" params={{ id: memory.id }} className="underline">
                {memory.memoryRef.replace(/^subject:/, '')}
              </Link>
              {memory.writer ?? ''} <Time at={memory.changedAt} short />
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function startOfDay(now = new Date()): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
}

/** Moments that people ask for. */
function presets(): readonly (readonly [string, string])[] {
  const today = startOfDay()
  const sinceTuesday = (new Date(today).getDay() + 7 - 2) % 7 || 7
  return [
    ['Since today began', new Date(today).toISOString()],
    ['Since yesterday', new Date(today - dayMs).toISOString()],
    ['Since last Tuesday', new Date(today - sinceTuesday * dayMs).toISOString()],
    ['Since a week ago', new Date(today - 7 * dayMs).toISOString()],
  ]
}

/** A position is shown as it is. */
function Moment({ moment }: { readonly moment: string }) {
  return /^\d{1,15}$/.test(moment) ? <>position {moment}</> : <Time at={moment} />
}
