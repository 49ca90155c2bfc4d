import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../app/api.ts'
import { useScope } from '../../app/caller.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { ScreenTitle } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { InboxCard } from './inbox-card.tsx'
import type { Done } from './inbox-choices.tsx'
import { type InboxItem, scopeToDecide, useInbox } from './inbox-items.ts'

/** What waits for a decision of a person, one after another: j and k move, 1 and 2 choose. */
export function InboxScreen() {
  const { items, hidden, isPending, failed } = useInbox()
  const [chosenId, setChosenId] = useState<string | null>(null)
  const [done, setDone] = useState<Done | null>(null)
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === chosenId),
  )
  const chosen = items[at]
  const move = (by: number) => setChosenId(items[Math.min(Math.max(at + by, 0), items.length - 1)]?.id ?? null)
  useMoves(move)
  const onDone = (result: Done) => {
    setDone(result)
    setChosenId(items[at + 1]?.id ?? items[at - 1]?.id ?? null)
  }
  return (
    <>
      <ScreenTitle title="Inbox" actions={<RetryAll items={items} onDone={setDone} />}>
        {items.length} to decide. <kbd>j</kbd> and <kbd>k</kbd> move, <kbd>1</kbd> and <kbd>2</kbd> choose.{' '}
        <Link to="/claims" search={{ show: 'all' }} className="text-accent underline">
          All claims
        </Link>
      </ScreenTitle>
      {done !== null && <DoneBar done={done} onClose={() => setDone(null)} />}
      {failed !== null && <Failure error={failed} />}
      {hidden.length > 0 && (
        <p className="mb-3 text-muted text-sm">
          Not shown, because your key lacks the scope to read them: {hidden.join(', ')}.
        </p>
      )}
      <Refusals items={items} />
      {isPending && <Loading />}
      {!isPending && items.length === 0 && (
        <Empty title="Nothing to decide.">
          Contested claims, questions of runs, dead jobs, failed webhooks and memories in quarantine appear here.
        </Empty>
      )}
      <ol aria-label="To decide" className="grid max-w-4xl gap-3">
        {items.map((item) => (
          <li key={item.id}>
            <Chosen isChosen={item.id === chosen?.id} onChoose={() => setChosenId(item.id)}>
              <InboxCard item={item} isChosen={item.id === chosen?.id} onDone={onDone} />
            </Chosen>
          </li>
        ))}
      </ol>
    </>
  )
}

/** A key can see more than it can decide: said once, because the choices are only dimmed. */
function Refusals({ items }: { readonly items: readonly InboxItem[] }) {
  const refusals = { 'memory:admin': useScope('memory:admin'), 'approvals:respond': useScope('approvals:respond') }
  const titles = new Set(items.map((item) => refusals[scopeToDecide(item)].title))
  return [...titles].map(
    (title) =>
      title !== undefined && (
        <p key={title} className="mb-3 text-warn">
          You can look, but not decide: {title}
        </p>
      ),
  )
}

function useMoves(move: (by: number) => void): void {
  const latest = useRef(move)
  latest.current = move
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.key === 'j') latest.current(1)
      if (event.key === 'k') latest.current(-1)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

type ChosenProps = { readonly isChosen: boolean; readonly onChoose: () => void; readonly children: React.ReactNode }

function Chosen({ isChosen, onChoose, children }: ChosenProps) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isChosen) element.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the controls are inside; the card only follows their focus.
    <div
      ref={element}
      data-chosen={isChosen}
      onFocus={onChoose}
      className={`rounded-lg border bg-raised p-4 ${isChosen ? 'border-accent' : 'border-line'}`}
    >
      {children}
    </div>
  )
}

/** What was done last, with the way back where there is one. */
function DoneBar({ done, onClose }: { readonly done: Done; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const undo = useMutation({
    mutationFn: async () => done.undo?.(),
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <div
      role="status"
      className="mb-3 flex max-w-4xl flex-wrap items-center gap-2 rounded-md bg-sunken px-3 py-2 text-sm"
    >
      <span className="min-w-0 break-words">{done.words}</span>
      {done.undo !== undefined && (
        <Button small disabled={undo.isPending} onClick={() => undo.mutate()}>
          Undo
        </Button>
      )}
      <Button small kind="quiet" onClick={onClose}>
        Dismiss
      </Button>
      {undo.isError && <Failure error={undo.error} />}
    </div>
  )
}

/** Dead jobs often have one cause: when it is repaired, all of them are retried. */
function RetryAll({ items, onDone }: { readonly items: readonly InboxItem[]; readonly onDone: (done: Done) => void }) {
  const queries = useQueryClient()
  const jobs = items.flatMap((item) => ('job' in item ? [item.job] : []))
  const retry = useMutation({
    mutationFn: async () => {
      for (const { id } of jobs) await api.jobs.retry(id)
    },
    onSuccess: () => onDone({ words: `${jobs.length} ${jobs.length === 1 ? 'job' : 'jobs'} queued again.` }),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  if (jobs.length === 0) return null
  return (
    <ScopedButton scope="memory:admin" disabled={retry.isPending} onClick={() => retry.mutate()}>
      Retry all {jobs.length} dead {jobs.length === 1 ? 'job' : 'jobs'}
    </ScopedButton>
  )
}
