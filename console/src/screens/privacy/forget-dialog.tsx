import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ForgetMentions } from './forget-mentions.tsx'
import { LayerCounts } from './layer-counts.tsx'
import { useNames } from './names.ts'

const selectors = {
  subject: 'everything about a subject',
  memoryRef: 'a memory ref',
  tag: 'entries with a tag',
  writer: 'everything from a writer',
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

/** An erasure needs a preview first, because it cannot be undone. */
export function ForgetDialog({ onClose, onStarted, by: givenBy = 'subject', value: given = '' }: ForgetDialogProps) {
  const queries = useQueryClient()
  const [by, setBy] = useState<Selector>(givenBy)
  const [value, setValue] = useState(given)
  const [reason, setReason] = useState('')
  const [erasesMentions, setErasesMentions] = useState(false)
  const names = useNames(by, value)
  const listId = useId()
  const request = {
    [by]: value.trim(),
    reason: reason.trim(),
    ...(erasesMentions ? { mentions: 'erase' as const } : {}),
  }
  const preview = useMutation({ mutationFn: () => api.forget.dryRun(request) })
  const startOver = () => {
    preview.reset()
    setErasesMentions(false)
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
  // A person who has no memory of their own may still be named in those of others.
  const isUnknown = preview.data?.matched === 0 && !erasesMentions
  return (
    <Dialog
      open
      onClose={onClose}
      title="Erase memory"
      description="The data is erased from every version, index, payload and log. This cannot be undone."
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate()
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
          list={listId}
          autoComplete="off"
          value={value}
          onChange={(event) => {
            setValue(event.target.value)
            startOver()
          }}
        />
        <datalist id={listId}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <TextField
          label="Reason"
          hint="(kept: it must not name what is erased)"
          required
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {preview.isError && <Failure error={preview.error} />}
        {start.isError && <Failure error={start.error} />}
        {preview.isSuccess && !isUnknown && (
          <LayerCounts caption="Rows that would be erased" counts={preview.data.counts} />
        )}
        {isUnknown && (
          <p role="alert" className="text-bad">
            Nothing matches this name, so there is nothing to erase. Check the spelling.
          </p>
        )}
        {preview.isSuccess && preview.data.mentions !== undefined && preview.data.mentions.count > 0 && (
          <ForgetMentions mentions={preview.data.mentions} isChecked={erasesMentions} onChange={setErasesMentions} />
        )}
        <div className="flex gap-2">
          <Button type="submit" disabled={!isReady || preview.isPending}>
            Preview erasure
          </Button>
          <Button
            kind="danger"
            disabled={!preview.isSuccess || isUnknown || !isReady || start.isPending}
            onClick={() => start.mutate()}
          >
            Erase
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
