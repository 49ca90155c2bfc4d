import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { SelectField } from '../../ui/field.tsx'

type RunPickerProps = {
  readonly runId: string
  readonly workflowId: string
  readonly value: string | undefined
  readonly onChoose: (runId: string | undefined) => void
}

const offeredMax = 50

/** Another run of the same workflow, by its time and status. */
export function RunPicker({ runId, workflowId, value, onChoose }: RunPickerProps) {
  const runs = useQuery({
    queryKey: ['live', 'runs', 'picker', workflowId],
    queryFn: ({ signal }) => api.runs.list({ workflowId, limit: offeredMax }, { signal }),
  })
  const others = (runs.data?.runs ?? []).filter((run) => run.runId !== runId)
  const isOffered = value === undefined || others.some((run) => run.runId === value)
  return (
    <SelectField
      label="Another run"
      hideLabel
      value={value ?? ''}
      onChange={(event) => onChoose(event.target.value || undefined)}
    >
      <option value="">choose a run …</option>
      {!isOffered && <option value={value}>{value}</option>}
      {others.map((run) => (
        <option key={run.runId} value={run.runId}>
          {new Date(run.createdAt).toLocaleString()} · {run.status}
          {run.sourceRunId === runId ? ' · fork of this run' : ''} · …{run.runId.slice(-6)}
        </option>
      ))}
    </SelectField>
  )
}
