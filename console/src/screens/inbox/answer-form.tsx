import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import type { Done } from './inbox-choices.tsx'
import type { InboxItem } from './inbox-items.ts'
import { titleOf } from './inbox-words.ts'

type Question = { readonly id: string; readonly question: string }
type AnswerFormProps = {
  readonly item: Extract<InboxItem, { readonly kind: 'question' }>
  readonly onDone: (done: Done) => void
}

/** The questions of a run, each with a field for its answer. A run goes on when all are answered. */
export function AnswerForm({ item, onDone }: AnswerFormProps) {
  const queries = useQueryClient()
  const { run, interrupt } = item
  const questions = interrupt.data.questions as readonly Question[]
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({})
  const answer = useMutation({
    mutationFn: () => api.interrupts.answer(run.runId, interrupt.nodeId, { answers }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onDone({ words: `Answered: ${titleOf(item)}.` })
    },
  })
  const isComplete = questions.every(({ id }) => (answers[id] ?? '').trim() !== '')
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (isComplete) answer.mutate()
      }}
    >
      {questions.map(({ id, question }) => (
        <TextField
          key={id}
          label={question}
          required
          value={answers[id] ?? ''}
          onChange={(event) => setAnswers({ ...answers, [id]: event.target.value })}
        />
      ))}
      {answer.isError && <Failure error={answer.error} />}
      <ScopedButton
        scope="approvals:respond"
        kind="primary"
        type="submit"
        className="justify-self-start"
        disabled={answer.isPending || !isComplete}
      >
        Answer
      </ScopedButton>
    </form>
  )
}
