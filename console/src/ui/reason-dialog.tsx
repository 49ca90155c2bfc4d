import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Failure } from './states.tsx'

type ReasonDialogProps = {
  readonly title: string
  readonly description: string
  readonly action: string
  readonly decide: (reason: string) => Promise<unknown>
  readonly onClose: () => void
}

/** A decision of a person, which needs a reason. */
export function ReasonDialog({ title, description, action, decide, onClose }: ReasonDialogProps) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const decision = useMutation({
    mutationFn: () => decide(reason.trim()),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onClose()
    },
  })
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          decision.mutate()
        }}
      >
        <TextField
          label="Reason"
          hint="(kept in the audit log)"
          autoFocus
          required
          className="mb-3"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
        {decision.isError && <Failure error={decision.error} />}
        <Button type="submit" kind="primary" disabled={decision.isPending || reason.trim() === ''}>
          {action}
        </Button>
      </form>
    </Dialog>
  )
}
