import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

/** What would become one is shown first; only then can it be done. */
export function NewCompaction({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [memoryRef, setMemoryRef] = useState('')
  const [keepNewest, setKeepNewest] = useState('0')
  const request = { memoryRef: memoryRef.trim(), minAgeDays: 0, keepNewest: Number(keepNewest) }
  const look = useMutation({ mutationFn: () => api.compactions.dryRun(request) })
  const start = useMutation({
    mutationFn: () => api.compactions.request(request),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live', 'compactions'] })
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title="Compact a ref" description="Many entries become one. It can be undone.">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          look.mutate()
        }}
      >
        <TextField
          label="Memory ref"
          required
          autoFocus
          value={memoryRef}
          onChange={(event) => {
            setMemoryRef(event.target.value)
            look.reset()
          }}
        />
        <TextField
          label="Leave the newest"
          type="number"
          min={0}
          value={keepNewest}
          onChange={(event) => {
            setKeepNewest(event.target.value)
            look.reset()
          }}
        />
        {look.isError && <Failure error={look.error} />}
        {start.isError && <Failure error={start.error} />}
        {look.isSuccess && (
          <p role="status">
            {look.data.sourceCount === 0
              ? 'There is nothing to compact.'
              : `${look.data.sourceCount} entries would become ${look.data.compactions.length}.`}
          </p>
        )}
        <div className="flex gap-2">
          <Button type="submit" disabled={look.isPending || memoryRef.trim() === ''}>
            What would happen?
          </Button>
          <Button
            kind="primary"
            disabled={!look.isSuccess || look.data.sourceCount === 0 || start.isPending}
            onClick={() => start.mutate()}
          >
            Compact
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
