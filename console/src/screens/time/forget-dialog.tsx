import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ForgetMentions } from './forget-mentions.tsx'
import { LayerCounts } from './layer-counts.tsx'

const selectors = {
  subject: 'everything about a subject',
  memoryRef: 'a memory ref',
  tag: 'entries with a tag',
  writer: 'everything a writer told',
  sourceEvent: 'one source event',
  runId: 'what a run wrote',
} as const

type Selector = keyof typeof selectors

type ForgetDialogProps = {
  readonly onClose: () => void
  readonly onStarted: (id: string) => void
  readonly by?: Selector
  readonly value?: string
}

/** What would go is counted first. Only then can it be done, and it cannot be undone. */
export function ForgetDialog({ onClose, onStarted, by: givenBy = 'subject', value: given = '' }: ForgetDialogProps) {
  const queries = useQueryClient()
  const [by, setBy] = useState<Selector>(givenBy)
  const [value, setValue] = useState(given)
  const [reason, setReason] = useState('')
  const [takesMentions, setTakesMentions] = useState(false)
  const [asksAgain, setAsksAgain] = useState(false)
  const request = {
    [by]: value.trim(),
    reason: reason.trim(),
    ...(takesMentions ? { mentions: 'erase' as const } : {}),
  }
  const look = useMutation({ mutationFn: () => api.forget.dryRun(request) })
  const startOver = () => {
    look.reset()
    setTakesMentions(false)
    setAsksAgain(false)
  }
  const start = useMutation({
    mutationFn: () => api.forget.request(request),
    onSuccess: async ({ id }) => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onClose()
      onStarted(id)
    },
  })
  const isReady = value.trim() !== '' && reason.trim() !== ''
  return (
    <Dialog
      open
      onClose={onClose}
      title="Forget"
      description="It goes from every version, index, payload and log. For good."
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          look.mutate()
        }}
      >
        <SelectField
          label="What"
          value={by}
          onChange={(event) => {
            setBy(event.target.value as Selector)
            startOver()
          }}
        >
          {Object.entries(selectors).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Which"
          required
          value={value}
          onChange={(event) => {
            setValue(event.target.value)
            startOver()
          }}
        />
        <TextField
          label="Reason"
          hint="(kept: it must not name what is forgotten)"
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {look.isError && <Failure error={look.error} />}
        {start.isError && <Failure error={start.error} />}
        {look.isSuccess && <LayerCounts caption="What would go" counts={look.data.counts} />}
        {look.isSuccess && look.data.matched === 0 && (
          <p role="alert" className="text-bad">
            Nothing matched this name. Check how it is written.
            {asksAgain && ' Forget it all the same?'}
          </p>
        )}
        {look.isSuccess && look.data.mentions !== undefined && look.data.mentions.count > 0 && (
          <ForgetMentions mentions={look.data.mentions} isTaken={takesMentions} onChange={setTakesMentions} />
        )}
        <div className="flex gap-2">
          <Button type="submit" disabled={!isReady || look.isPending}>
            What would go?
          </Button>
          <Button
            kind="danger"
            disabled={!look.isSuccess || !isReady || start.isPending}
            onClick={() => (look.data?.matched === 0 && !asksAgain ? setAsksAgain(true) : start.mutate())}
          >
            {asksAgain ? 'Forget anyway' : 'Forget for good'}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
