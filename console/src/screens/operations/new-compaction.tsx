import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

/** Requests a compaction. It needs a preview first. */
export function NewCompaction({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [memoryRef, setMemoryRef] = useState('')
  const [keepNewest, setKeepNewest] = useState('0')
  const request = { memoryRef: memoryRef.trim(), minAgeDays: 0, keepNewest: Number(keepNewest) }
  const preview = useMutation({ mutationFn: () => api.compactions.dryRun(request) })
  const start = useMutation({
    mutationFn: () => api.compactions.request(request),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live', 'compactions'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Compact a ref"
      description="Summarises many entries into one. It can be undone."
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate()
        }}
      >
        <TextField
          label="Memory ref"
          required
          autoFocus
          value={memoryRef}
          onChange={(event) => {
            setMemoryRef(event.target.value)
            preview.reset()
          }}
        />
        <TextField
          label="Keep the newest entries"
          type="number"
          min={0}
          value={keepNewest}
          onChange={(event) => {
            setKeepNewest(event.target.value)
            preview.reset()
          }}
        />
        {preview.isError && <Failure error={preview.error} />}
        {start.isError && <Failure error={start.error} />}
        {preview.isSuccess && (
          <p role="status">
            {preview.data.sourceCount === 0
              ? 'No entries to compact.'
              : `${preview.data.sourceCount} entries would become ${preview.data.compactions.length}.`}
          </p>
        )}
        <div className="flex gap-2">
          <Button type="submit" disabled={preview.isPending || memoryRef.trim() === ''}>
            Preview compaction
          </Button>
          <Button
            kind="primary"
            disabled={!preview.isSuccess || preview.data.sourceCount === 0 || start.isPending}
            onClick={() => start.mutate()}
          >
            Compact
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
