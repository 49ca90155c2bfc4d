import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Settings } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { hasFailed } from '../../ui/has-failed.ts'
import { Panel } from '../../ui/panel.tsx'
import { Failure, Loading } from '../../ui/states.tsx'

/** How long history and payloads are kept. */
export function Retention() {
  const settings = useQuery({ queryKey: ['live', 'settings'], queryFn: ({ signal }) => api.settings.get({ signal }) })
  if (settings.isPending) return <Loading />
  if (hasFailed(settings)) return <Failure error={settings.error} onRetry={() => settings.refetch()} />
  return <RetentionForm settings={settings.data} />
}

function RetentionForm({ settings }: { readonly settings: Settings }) {
  const queries = useQueryClient()
  const [history, setHistory] = useState(String(settings.history_retention_days))
  const [payloads, setPayloads] = useState(String(settings.extraction_payload_retention_days))
  const [replays, setReplays] = useState(settings.replay_expired)
  const save = useMutation({
    mutationFn: () =>
      api.settings.patch({
        history_retention_days: Number(history),
        extraction_payload_retention_days: Number(payloads),
        replay_expired: replays,
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live', 'settings'] }),
  })
  return (
    <Panel title="Retention">
      <form
        className="max-w-md space-y-3 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <TextField
          label="Days to keep ended versions and run logs"
          type="number"
          min={0}
          required
          value={history}
          onChange={(event) => setHistory(event.target.value)}
        />
        <TextField
          label="Days to keep payloads of source events"
          hint="(the hash stays)"
          type="number"
          min={0}
          required
          value={payloads}
          onChange={(event) => setPayloads(event.target.value)}
        />
        <SelectField
          label="Replay of a run that read an entry which has expired"
          value={replays}
          onChange={(event) => setReplays(event.target.value === 'allow' ? 'allow' : 'refuse')}
        >
          <option value="refuse">refuse</option>
          <option value="allow">allow: return the entry as the run read it</option>
        </SelectField>
        {save.isError && <Failure error={save.error} />}
        {save.isSuccess && (
          <p role="status" className="text-good">
            Saved.
          </p>
        )}
        <ScopedButton scope="memory:admin" kind="primary" type="submit" disabled={save.isPending}>
          Save
        </ScopedButton>
      </form>
    </Panel>
  )
}
