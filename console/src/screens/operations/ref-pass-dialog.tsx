import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

/** What a pass over a ref would do, in words, and whether that is anything. */
export type RefPreview = { readonly words: string; readonly isNothing: boolean }

type RefPassDialogProps = {
  readonly title: string
  readonly description: string
  readonly action: string
  /** A number that the pass takes. */
  readonly option?: { readonly label: string; readonly initial: string; readonly min: number }
  readonly preview: (memoryRef: string, option: number) => Promise<RefPreview>
  readonly start: (memoryRef: string, option: number) => Promise<unknown>
  readonly onClose: () => void
}

/** Requests a pass over one ref. It needs a preview first, which stores nothing. */
export function RefPassDialog({ title, description, action, option, onClose, ...calls }: RefPassDialogProps) {
  const queries = useQueryClient()
  const [memoryRef, setMemoryRef] = useState('')
  const [chosen, setChosen] = useState(option?.initial ?? '0')
  const ref = memoryRef.trim()
  const preview = useMutation({ mutationFn: () => calls.preview(ref, Number(chosen)) })
  const start = useMutation({
    mutationFn: () => calls.start(ref, Number(chosen)),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onClose()
    },
  })
  const change = (set: (text: string) => void) => (event: { readonly target: { readonly value: string } }) => {
    set(event.target.value)
    preview.reset()
  }
  return (
    <Dialog open onClose={onClose} title={title} description={description}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          preview.mutate()
        }}
      >
        <TextField label="Memory ref" required autoFocus value={memoryRef} onChange={change(setMemoryRef)} />
        {option !== undefined && (
          <TextField
            label={option.label}
            type="number"
            min={option.min}
            required
            value={chosen}
            onChange={change(setChosen)}
          />
        )}
        {preview.isError && <Failure error={preview.error} />}
        {start.isError && <Failure error={start.error} />}
        {preview.isSuccess && <p role="status">{preview.data.words}</p>}
        <div className="flex gap-2">
          <Button type="submit" disabled={preview.isPending || ref === ''}>
            Preview
          </Button>
          <Button
            kind="primary"
            disabled={!preview.isSuccess || preview.data.isNothing || start.isPending}
            onClick={() => start.mutate()}
          >
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
