import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ContainmentPreview } from '../../../../src/client/index.ts'
import { containmentKinds } from '../../../../src/core/containment/selector.ts'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

const names: Readonly<Record<(typeof containmentKinds)[number], string>> = {
  key: 'API key (id)',
  writer: 'writer (service key)',
  sourceEvent: 'source event (id)',
  run: 'run (id)',
  agent: 'agent (id)',
}

/** Contains a source, after a preview of what is affected. */
export function ContainDialog({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [kind, setKind] = useState<(typeof containmentKinds)[number]>('key')
  const [value, setValue] = useState('')
  const [since, setSince] = useState('')
  const [reason, setReason] = useState('')
  const body = {
    [kind]: value.trim(),
    ...(since.trim() === '' ? {} : { since: since.trim() }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
  }
  const preview = useMutation({ mutationFn: () => api.containments.dryRun(body) })
  const apply = useMutation({
    mutationFn: () => api.containments.apply(body),
    onSuccess: async () => {
      onClose()
      await queries.invalidateQueries({ queryKey: ['live'] })
    },
  })
  const change = (set: (text: string) => void) => (event: { readonly target: { readonly value: string } }) => {
    set(event.target.value)
    preview.reset()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="Contain a source"
      description="Everything that came from it, or was derived from it, is taken out of memory. Nothing is erased, and it can be released."
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate()
        }}
      >
        <SelectField
          label="Source"
          value={kind}
          onChange={change((text) => setKind(containmentKinds.find((one) => one === text) ?? 'key'))}
        >
          {containmentKinds.map((one) => (
            <option key={one} value={one}>
              {names[one]}
            </option>
          ))}
        </SelectField>
        <TextField label="Name or id" autoFocus required value={value} onChange={change(setValue)} />
        <TextField label="Since (an instant or a position)" value={since} onChange={change(setSince)} />
        <TextField label="Reason" value={reason} onChange={change(setReason)} />
        {preview.isSuccess && <Preview found={preview.data} />}
        {preview.isError && <Failure error={preview.error} />}
        {apply.isError && <Failure error={apply.error} />}
        <div className="flex gap-2">
          <Button type="submit" disabled={preview.isPending || value.trim() === ''}>
            Preview
          </Button>
          <Button kind="danger" disabled={!preview.isSuccess || apply.isPending} onClick={() => apply.mutate()}>
            Contain
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function Preview({ found: { counts, runs, claims } }: { readonly found: ContainmentPreview }) {
  const active = runs.filter((run) => run.active).length
  const changed = claims.filter(({ before, after }) => before !== after).length
  return (
    <ul className="list-disc pl-5 text-sm" aria-label="Preview">
      <li>entries: {counts.entries}</li>
      <li>
        claims: {counts.claims}, with another winner: {changed}
      </li>
      <li>
        runs: {counts.runs}, still active: {active}
      </li>
      <li>source events: {counts.sourceEvents}</li>
    </ul>
  )
}
