import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Failure } from '../../ui/states.tsx'

type UndoButtonProps = { readonly isOffered: boolean; readonly undo: () => Promise<unknown> }

/** Undoes what a compaction or distillation made. A refusal stays in view, also when undo is no longer offered. */
export function UndoButton({ isOffered, undo }: UndoButtonProps) {
  const queries = useQueryClient()
  const undoing = useMutation({
    mutationFn: undo,
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <>
      {isOffered && (
        <ScopedButton
          scope="memory:admin"
          small
          className="mb-4"
          disabled={undoing.isPending}
          onClick={() => undoing.mutate()}
        >
          Undo
        </ScopedButton>
      )}
      {undoing.isError && <Failure error={undoing.error} />}
    </>
  )
}
