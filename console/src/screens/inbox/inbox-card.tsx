import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useScope } from '../../app/caller.ts'
import { Named } from '../../app/names.tsx'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { AnswerForm } from './answer-form.tsx'
import { type Choice, choicesOf, type Done } from './inbox-choices.tsx'
import { type InboxItem, scopeToDecide } from './inbox-items.ts'
import { textOf, titleOf, whyTied } from './inbox-words.ts'

type CardProps = { readonly item: InboxItem; readonly isChosen: boolean; readonly onDone: (done: Done) => void }

/** One item: what it is about, and its choices with the keys 1, 2, … while it is chosen. */
export function InboxCard({ item, isChosen, onDone }: CardProps) {
  const queries = useQueryClient()
  const [picked, setPicked] = useState<number | null>(null)
  const [reason, setReason] = useState('')
  const choices = choicesOf(item)
  const refusal = useScope(scopeToDecide(item))
  const choice = picked === null ? undefined : choices[picked]
  const decide = useMutation({
    mutationFn: (way: Choice) => way.decide(reason.trim()),
    onSuccess: async (done) => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onDone(done)
    },
  })
  const pick = (index: number) => {
    const way = choices[index]
    if (way === undefined || decide.isPending || refusal.disabled) return
    if (way.needsReason) setPicked(index)
    else decide.mutate(way)
  }
  useNumberKeys(isChosen, pick)
  return (
    <article aria-label={titleOf(item)}>
      <CardHead item={item} />
      {item.kind === 'question' && item.interrupt.kind === 'clarification' && (
        <AnswerForm item={item} onDone={onDone} />
      )}
      <div className="grid gap-2 sm:grid-cols-2">
        {choices.map((way, index) => (
          <button
            type="button"
            key={way.name}
            aria-pressed={picked === index}
            onClick={() => pick(index)}
            disabled={decide.isPending}
            {...refusal}
            className={`cursor-pointer rounded-md border p-3 text-left hover:bg-sunken disabled:cursor-not-allowed disabled:text-muted disabled:hover:bg-transparent ${picked === index ? 'border-accent bg-sunken' : 'border-line'}`}
          >
            <span className="flex gap-2">
              <kbd className="font-mono text-muted">{index + 1}</kbd>
              <span className={`min-w-0 break-words ${way.isQuoted ? 'line-clamp-6 font-serif text-base' : ''}`}>
                {way.name}
              </span>
            </span>
            {way.note !== undefined && <span className="mt-1 block text-muted text-xs">{way.note}</span>}
          </button>
        ))}
      </div>
      {choice !== undefined && (
        <form
          className="mt-3 flex flex-wrap items-end gap-2"
          onSubmit={(event) => {
            event.preventDefault()
            if (reason.trim() !== '') decide.mutate(choice)
          }}
        >
          <TextField
            key={picked}
            label="Reason"
            hint="(kept in the audit log)"
            autoFocus
            required
            className="min-w-0 flex-1"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
          <Button type="submit" kind="primary" disabled={decide.isPending || reason.trim() === ''}>
            Decide
          </Button>
        </form>
      )}
      {decide.isError && <Failure error={decide.error} />}
    </article>
  )
}

function useNumberKeys(isActive: boolean, pick: (index: number) => void): void {
  const latest = useRef(pick)
  latest.current = pick
  useEffect(() => {
    if (!isActive) return
    const onKey = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !/^[1-9]$/.test(event.key)) return
      event.preventDefault()
      latest.current(Number(event.key) - 1)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isActive])
}

const kindWords: Readonly<Record<InboxItem['kind'], readonly [string, Tone]>> = {
  claim: ['contested', 'warn'],
  question: ['approval', 'accent'],
  job: ['dead job', 'bad'],
  delivery: ['webhook failed', 'bad'],
  quarantine: ['quarantine', 'warn'],
}

function CardHead({ item }: { readonly item: InboxItem }) {
  const [word, tone] = kindWords[item.kind]
  return (
    <header className="mb-3">
      <p className="mb-1 flex flex-wrap items-center gap-2">
        <Badge tone={tone}>{item.kind === 'question' && item.interrupt.kind !== 'approval' ? 'question' : word}</Badge>
        <span className="min-w-0 font-medium break-words">{titleOf(item)}</span>
      </p>
      <div className="text-muted text-sm break-words">
        <About item={item} />
      </div>
    </header>
  )
}

function About({ item }: { readonly item: InboxItem }) {
  if (item.kind === 'claim') return whyTied(item.claim)
  if (item.kind === 'quarantine') {
    return (
      <>
        <span className="mb-1 line-clamp-6 font-serif text-base text-ink whitespace-pre-wrap">
          {item.memory.content}
        </span>
        Its class is {item.memory.trust}, below the floor of this tenant. Written{' '}
        <Time at={item.memory.createdAt} short />,{' '}
        <Link to="/memories/$id" params={{ id: item.memory.id }} className="text-accent underline">
          its source
        </Link>
      </>
    )
  }
  if (item.kind === 'question') {
    const { data } = item.interrupt
    const text = textOf(data.artifactData) ?? textOf(data.question)
    return (
      <>
        {text !== undefined && <span className="mb-1 block text-ink whitespace-pre-wrap">{text}</span>}
        Asked by{' '}
        <Link to="/runs/$runId" params={{ runId: item.run.runId }} className="text-accent underline">
          a run of {item.run.workflowId}
        </Link>
      </>
    )
  }
  const { job } = item
  return (
    <>
      {job.error !== null && <span className="block text-bad">{job.error.message}</span>}
      {job.attempts} of {job.attemptsMax} attempts failed, the last <Time at={job.endedAt ?? job.createdAt} short />
      {job.runId !== undefined && (
        <>
          ,{' '}
          <Link to="/runs/$runId" params={{ runId: job.runId }} className="text-accent underline">
            its run <Named text={job.runId} />
          </Link>
        </>
      )}
    </>
  )
}
