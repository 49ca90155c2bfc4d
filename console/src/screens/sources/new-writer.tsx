import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

export function NewWriter({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [service_key, setServiceKey] = useState('')
  const [display_name, setDisplayName] = useState('')
  const create = useMutation({
    mutationFn: () =>
      api.writers.create({ service_key: service_key.trim(), ...(display_name.trim() === '' ? {} : { display_name }) }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live', 'writers'] })
      onClose()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title="Register a writer"
      description="A writer is a source service that sends events under its own name."
    >
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField
          label="Service key"
          hint="(lower case letters, digits, . _ -)"
          autoFocus
          required
          value={service_key}
          onChange={(event) => setServiceKey(event.target.value)}
        />
        <TextField label="Name" value={display_name} onChange={(event) => setDisplayName(event.target.value)} />
        {create.isError && <Failure error={create.error} />}
        <Button kind="primary" type="submit" disabled={create.isPending || service_key.trim() === ''}>
          Register
        </Button>
      </form>
    </Dialog>
  )
}
