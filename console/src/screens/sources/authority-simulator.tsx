import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { AuthorityDraft, RulesPreviewResult, Writer } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { useWriters } from './use-writers.ts'

/** Delays the preview while a slider moves. */
const settleMs = 200

type Priorities = ReadonlyMap<string, number>

/** Sliders for all writers, what they would change in words, and one commit that applies them. */
export function AuthoritySimulator() {
  const writers = useWriters()
  const [moved, setMoved] = useState<Priorities>(new Map())
  const [applied, setApplied] = useState<Applied | null>(null)
  if (writers.isPending) return <Loading />
  if (hasFailed(writers)) return <Failure error={writers.error} onRetry={() => writers.refetch()} />
  const drafts = draftsOf(writers.data, moved)
  return (
    <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <Panel
        title="Default priorities"
        actions={
          <Button small disabled={drafts.length === 0} onClick={() => setMoved(new Map())}>
            Reset
          </Button>
        }
      >
        {writers.data.length === 0 && <Empty title="No writers." />}
        <ul className="divide-y divide-line">
          {writers.data.map((writer) => (
            <WriterSlider
              key={writer.id}
              writer={writer}
              value={moved.get(writer.id) ?? writer.authority_rules.default_priority}
              onChange={(value) => setMoved(new Map([...moved, [writer.id, value]]))}
            />
          ))}
        </ul>
      </Panel>
      <Panel title="What would change">
        {drafts.length === 0 && applied !== null && <AppliedNote applied={applied} onUndone={() => setApplied(null)} />}
        {drafts.length === 0 && applied === null && (
          <Empty title="Nothing is changed yet.">Move one or more sliders. Nothing is stored until you apply it.</Empty>
        )}
        {drafts.length > 0 && (
          <Outcome
            drafts={drafts}
            before={writers.data
              .filter(({ id }) => drafts.some((draft) => draft.id === id))
              .map(({ id, authority_rules }) => ({ id, authority_rules }))}
            onApplied={(done) => {
              setApplied(done)
              setMoved(new Map())
            }}
          />
        )}
      </Panel>
    </div>
  )
}

/** What the last commit changed, and the rules that these writers had before. */
type Applied = Pick<RulesPreviewResult, 'changed' | 'contested'> & { readonly before: AuthorityDraft['writers'] }

function AppliedNote({ applied, onUndone }: { readonly applied: Applied; readonly onUndone: () => void }) {
  const { before, changed, contested } = applied
  const queries = useQueryClient()
  const undo = useMutation({
    mutationFn: () => api.writers.changeAuthority({ writers: before }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onUndone()
    },
  })
  return (
    <div className="grid justify-items-start gap-3 p-4">
      <p role="status">
        Applied to {inWriters(before.length)}. Claims with another winner: {changed.toLocaleString()}, contested:{' '}
        {contested.toLocaleString()}.
      </p>
      {undo.isError && <Failure error={undo.error} />}
      <Button small disabled={undo.isPending} onClick={() => undo.mutate()}>
        Undo
      </Button>
    </div>
  )
}

function inWriters(count: number): string {
  return count === 1 ? '1 writer' : `${count} writers`
}

/** The rules of the writers whose slider was moved. The priorities of categories stay as they are. */
function draftsOf(writers: readonly Writer[], moved: Priorities): AuthorityDraft['writers'] {
  return writers.flatMap(({ id, authority_rules }) => {
    const priority = moved.get(id) ?? authority_rules.default_priority
    if (priority === authority_rules.default_priority) return []
    return [{ id, authority_rules: { ...authority_rules, default_priority: priority } }]
  })
}

type WriterSliderProps = {
  readonly writer: Writer
  readonly value: number
  readonly onChange: (value: number) => void
}

function WriterSlider({ writer, value, onChange }: WriterSliderProps) {
  const { default_priority: stored, categories } = writer.authority_rules
  const own = Object.entries(categories).map(([name, priority]) => `${name} ${priority}`)
  return (
    <li className="px-4 py-3">
      <label className="grid grid-cols-[1fr_auto] gap-x-3">
        <span className="min-w-0 truncate font-medium">{writer.service_key}</span>
        <output className="font-mono">{value === stored ? value : `${value} (was ${stored})`}</output>
        <input
          type="range"
          aria-label={`Priority of ${writer.service_key}`}
          className="col-span-2 m-0 w-full accent-accent"
          min={0}
          max={100}
          value={value}
          onChange={(event) => onChange(Number(event.target.value))}
        />
      </label>
      {own.length > 0 && <p className="text-muted text-xs">Its own priorities stay: {own.join(', ')}</p>}
      {!writer.is_active && <p className="text-muted text-xs">Deactivated: its statements count with priority 0.</p>}
    </li>
  )
}

type OutcomeProps = {
  readonly drafts: AuthorityDraft['writers']
  readonly before: AuthorityDraft['writers']
  readonly onApplied: (applied: Applied) => void
}

function Outcome({ drafts, before, onApplied }: OutcomeProps) {
  const queries = useQueryClient()
  const [settled, isSettled] = useSettled(drafts)
  const preview = useQuery<RulesPreviewResult>({
    queryKey: ['live', 'authority-preview', settled],
    queryFn: ({ signal }) => api.writers.previewAuthority({ writers: settled }, { signal }),
    // The counters stay while the next ones are computed.
    placeholderData: keepPreviousData,
  })
  const apply = useMutation({
    mutationFn: async ({ changed, contested }: RulesPreviewResult): Promise<Applied> => {
      await api.writers.changeAuthority({ writers: drafts })
      return { before, changed, contested }
    },
    onSuccess: async (applied) => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onApplied(applied)
    },
  })
  if (preview.isPending) return <Loading label="Computing the preview" />
  if (hasFailed(preview)) return <Failure error={preview.error} onRetry={() => preview.refetch()} />
  const isBusy = !isSettled || preview.isPlaceholderData
  return (
    <div className="grid gap-4 p-4" aria-busy={isBusy}>
      <Counters preview={preview.data} />
      <Changes preview={preview.data} />
      {apply.isError && <Failure error={apply.error} />}
      <ScopedButton
        scope="memory:admin"
        kind="primary"
        disabled={isBusy || apply.isPending}
        className="justify-self-start"
        onClick={() => apply.mutate(preview.data)}
      >
        Apply to {inWriters(drafts.length)} in one commit
      </ScopedButton>
    </div>
  )
}

/** The value once it has stayed the same for a while, and whether it is the given one. */
function useSettled<T>(value: T): readonly [T, boolean] {
  const [settled, setSettled] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as T), settleMs)
    return () => clearTimeout(timer)
  }, [text])
  return [settled, JSON.stringify(settled) === text]
}

function Counters({ preview: { claims, changed, contested, pinned } }: { readonly preview: RulesPreviewResult }) {
  const counters = [
    ['get another winner', changed],
    ['become contested', contested],
    ['are pinned and stay', pinned],
  ] as const
  return (
    <dl aria-label="Counters" className="grid grid-cols-3 gap-3">
      {counters.map(([name, count]) => (
        <div key={name} className="flex flex-col-reverse rounded-md border border-line p-3">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="font-serif text-2xl">{count.toLocaleString()}</dd>
        </div>
      ))}
      <p className="col-span-3 text-muted text-xs">Of {claims.toLocaleString()} claims of these writers.</p>
    </dl>
  )
}

type Content = RulesPreviewResult['contests'][number]['contents'][number]

function Changes({ preview: { changes, contests, changed } }: { readonly preview: RulesPreviewResult }) {
  return (
    <>
      {changes.length > 0 && (
        <ul aria-label="Other winners" className="grid gap-3">
          {changes.map(({ claimId, subject, claimKey, before, after }) => (
            <li key={claimId}>
              <ClaimName claimId={claimId} subject={subject} claimKey={claimKey} />
              <p className="break-words">
                Before: <del className="text-bad">{said(before)}</del>
                <br />
                After: <ins className="text-good no-underline">{said(after)}</ins>
              </p>
            </li>
          ))}
        </ul>
      )}
      {changed > changes.length && <p className="text-muted text-sm">The first {changes.length} are listed.</p>}
      {contests.length > 0 && (
        <ul aria-label="Contested" className="grid gap-3">
          {contests.map(({ claimId, subject, claimKey, contents }) => (
            <li key={claimId}>
              <ClaimName claimId={claimId} subject={subject} claimKey={claimKey} />
              <p className="break-words text-warn">A tie: {contents.map(said).join(' and ')}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

type ClaimNameProps = { readonly claimId: string; readonly subject: string; readonly claimKey: string | null }

function ClaimName({ claimId, subject, claimKey }: ClaimNameProps) {
  return (
    <Link to="/claims" search={{ claim: claimId }} className="text-muted text-sm hover:underline">
      {subject}: {claimKey ?? 'a claim without a key'}
    </Link>
  )
}

function said(content: Content | null): string {
  return content === null ? 'nothing' : `“${content.content}” (${content.source} ${content.priority})`
}
