import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewWebhook } from '../../../../src/client/index.ts'
import { clientWithKey, KeyField } from '../../app/key-confirmation.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

type NewWebhookDialogProps = { readonly onClose: () => void; readonly onMade: (made: NewWebhook) => void }

export function NewWebhookDialog({ onClose, onMade }: NewWebhookDialogProps) {
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [events, setEvents] = useState('run.completed run.failed')
  const [tags, setTags] = useState('')
  const [format, setFormat] = useState<'openwop' | 'cloudevents'>('openwop')
  const [ownKey, setOwnKey] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const of = wordsOf(tags)
      return (await clientWithKey(ownKey)).webhooks.create({
        url: url.trim(),
        events: wordsOf(events),
        format,
        ...(of.length === 0 ? {} : { tags: of }),
      })
    },
    // A wrong key is shown here, and does not end the session.
    onError: () => {},
    onSuccess: async (made) => {
      onClose()
      onMade(made)
      await queries.invalidateQueries({ queryKey: ['live', 'webhooks'] })
    },
  })
  return (
    <Dialog open onClose={onClose} title="New webhook" description="The URL and the secret are stored encrypted.">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          label="URL"
          hint="(https; it is not shown again)"
          type="url"
          autoFocus
          required
          value={url}
          onChange={(event) => setUrl(event.target.value)}
        />
        <TextField
          label="Events"
          hint="(types of run events; * is every type)"
          required
          value={events}
          onChange={(event) => setEvents(event.target.value)}
        />
        <TextField
          label="Tags"
          hint="(only runs that have one of them)"
          value={tags}
          onChange={(event) => setTags(event.target.value)}
        />
        <SelectField
          label="Format"
          value={format}
          onChange={(event) => setFormat(event.target.value === 'cloudevents' ? 'cloudevents' : 'openwop')}
        >
          <option value="openwop">OpenWOP</option>
          <option value="cloudevents">CloudEvents 1.0</option>
        </SelectField>
        <KeyField value={ownKey} onChange={setOwnKey} />
        {create.isError && <Failure error={create.error} />}
        <Button kind="primary" type="submit" disabled={create.isPending || ownKey.trim() === ''}>
          Register the webhook
        </Button>
      </form>
    </Dialog>
  )
}

const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
