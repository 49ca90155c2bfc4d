import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { isEnded } from './status.ts'

/** Replay repeats the run from its record and writes nothing. A branch continues from one of its events. */
export function RunActions({ runId, status }: { readonly runId: string; readonly status: string }) {
  const [isBranching, setBranching] = useState(false)
  const fork = useFork(runId)
  const queries = useQueryClient()
  const change = useMutation({
    mutationFn: async (what: 'cancel' | 'pause' | 'resume') => api.runs[what](runId),
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <div className="flex flex-wrap gap-2">
      <ScopedButton
        scope="runs:create"
        kind="primary"
        disabled={fork.isPending}
        onClick={() => fork.mutate({ mode: 'replay', fromSeq: 0 })}
      >
        Replay
      </ScopedButton>
      <ScopedButton scope="runs:create" onClick={() => setBranching(true)}>
        Branch …
      </ScopedButton>
      {!isEnded(status) && (
        <>
          {status === 'paused' ? (
            <ScopedButton scope="runs:cancel" onClick={() => change.mutate('resume')}>
              Resume
            </ScopedButton>
          ) : (
            <ScopedButton scope="runs:cancel" onClick={() => change.mutate('pause')}>
              Pause
            </ScopedButton>
          )}
          <ScopedButton scope="runs:cancel" kind="danger" onClick={() => change.mutate('cancel')}>
            Cancel
          </ScopedButton>
        </>
      )}
      {fork.isError && <Failure error={fork.error} />}
      {change.isError && <Failure error={change.error} />}
      {isBranching && <BranchDialog runId={runId} onClose={() => setBranching(false)} />}
    </div>
  )
}

type Fork = { readonly mode: 'replay' | 'branch'; readonly fromSeq: number }

function useFork(runId: string) {
  const navigate = useNavigate()
  return useMutation({
    mutationFn: (fork: Fork) => api.runs.fork(runId, fork),
    onSuccess: (made) => navigate({ to: '/runs/$runId', params: { runId: made.runId } }),
  })
}

function BranchDialog({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const [from, setFrom] = useState('0')
  const fork = useFork(runId)
  return (
    <Dialog
      open
      onClose={onClose}
      title="Branch from an event"
      description="The branch inherits the events before this one, reads the same snapshot, and then continues with its own writes."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          fork.mutate({ mode: 'branch', fromSeq: Number(from) }, { onSuccess: onClose })
        }}
      >
        <TextField
          label="After the event with sequence"
          type="number"
          min={0}
          required
          className="mb-3"
          value={from}
          onChange={(event) => setFrom(event.target.value)}
        />
        {fork.isError && <Failure error={fork.error} />}
        <Button kind="primary" type="submit" disabled={fork.isPending}>
          Branch
        </Button>
      </form>
    </Dialog>
  )
}
