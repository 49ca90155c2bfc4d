import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { ScopedButton } from '../../app/scoped-button.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'
import type { FeedRow } from './memory-feed.tsx'

type BulkActionsProps = { readonly rows: readonly FeedRow[]; readonly onDone: () => void }

/** What can be done with the selected memories. */
export function BulkActions({ rows, onDone }: BulkActionsProps) {
  const [isAsking, setAsking] = useState(false)
  if (rows.length === 0) return null
  const words = `${rows.length} ${rows.length === 1 ? 'memory' : 'memories'}`
  return (
    <div
      role="toolbar"
      aria-label="Selected memories"
      className="flex flex-wrap items-center gap-2 border-line border-b bg-sunken px-3 py-2 text-sm"
    >
      <span>{words} selected</span>
      <Button small onClick={() => void navigator.clipboard.writeText(rows.map(({ id }) => id).join('\n'))}>
        Copy ids
      </Button>
      <ScopedButton scope="memory:delete" small kind="danger" onClick={() => setAsking(true)}>
        Delete …
      </ScopedButton>
      <Button small kind="quiet" onClick={onDone}>
        Clear
      </Button>
      {isAsking && <DeleteThem rows={rows} words={words} onClose={() => setAsking(false)} onDone={onDone} />}
    </div>
  )
}

type DeleteProps = BulkActionsProps & { readonly words: string; readonly onClose: () => void }

function DeleteThem({ rows, words, onClose, onDone }: DeleteProps) {
  const queries = useQueryClient()
  const [deleted, setDeleted] = useState(0)
  const remove = useMutation({
    // One after another: after a failure the rest stays selected.
    mutationFn: async () => {
      for (const { id } of rows) {
        await api.memories.delete(id)
        setDeleted((count) => count + 1)
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['live'] }),
    onSuccess: () => {
      onClose()
      onDone()
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Delete ${words}?`} description="Earlier snapshots keep them.">
      <ul className="mb-4 max-h-60 list-disc overflow-y-auto pl-5">
        {rows.map(({ id, content }) => (
          <li key={id} className="line-clamp-1 break-words">
            {content}
          </li>
        ))}
      </ul>
      {remove.isError && <Failure error={remove.error} />}
      <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
        {remove.isPending ? `Deleted ${deleted} of ${rows.length}` : `Delete ${words}`}
      </Button>
    </Dialog>
  )
}
