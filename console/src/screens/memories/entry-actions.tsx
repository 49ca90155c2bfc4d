import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useAddress } from '../../app/use-address.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ForgetDialog } from '../time/forget-dialog.tsx'

type EntryActionsProps = { readonly memory: Memory; readonly onGone: () => void }

/** Edit states other words, delete ends the memory; both leave what was before where it is. */
export function EntryActions({ memory, onGone }: EntryActionsProps) {
  const [doing, setDoing] = useState<'edit' | 'delete' | 'forget' | null>(null)
  const navigate = useNavigate()
  const subject = memory.memory_ref.startsWith('subject:') ? memory.memory_ref.slice('subject:'.length) : null
  return (
    <div className="mb-5 flex flex-wrap gap-2">
      <Button small onClick={() => setDoing('edit')}>
        Edit
      </Button>
      <Button small kind="danger" onClick={() => setDoing('delete')}>
        Delete
      </Button>
      {subject !== null && (
        <Button small kind="danger" onClick={() => setDoing('forget')}>
          Forget the subject …
        </Button>
      )}
      {doing === 'forget' && subject !== null && (
        <ForgetDialog
          by="subject"
          value={subject}
          onClose={() => setDoing(null)}
          onStarted={(forget) => void navigate({ to: '/time', search: { tab: 'forgetting', forget } })}
        />
      )}
      {doing === 'edit' && <EditDialog memory={memory} onClose={() => setDoing(null)} />}
      {doing === 'delete' && <DeleteDialog memory={memory} onClose={() => setDoing(null)} onGone={onGone} />}
    </div>
  )
}

/** An edit is a statement of the key in use, decided like any other: it may lose, unless a reason pins it. */
function EditDialog({ memory, onClose }: { readonly memory: Memory; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [, change] = useAddress()
  const [content, setContent] = useState(memory.content)
  const [reason, setReason] = useState('')
  const isStated = memory.sources > 0
  const save = useMutation({
    mutationFn: () =>
      api.memories.patch(memory.id, { content, reason: reason.trim() === '' ? undefined : reason.trim() }),
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      if (saved.status === 'superseded') return
      if (saved.id !== memory.id) change({ entry: saved.id })
      onClose()
    },
  })
  const isUnchanged = content === memory.content || content.trim() === ''
  const isOwnContent = memory.claim_key !== null
  return (
    <Dialog
      open
      onClose={onClose}
      title={isOwnContent ? 'State another content' : 'Edit as a new version'}
      description={
        isStated
          ? 'The new words are shown as those of your key. What its sources stated stays, with its provenance.'
          : 'The present version stays readable.'
      }
    >
      <TextAreaField
        label="Content"
        className="mb-3"
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      {isStated && (
        <TextField
          label="Reason"
          hint="(with memory:admin it pins the new content; without one, authority decides)"
          className="mb-3"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {save.data?.status === 'superseded' && (
        <p role="status" className="mb-3 text-sm">
          Kept as superseded: another statement has more authority. To make it current, give a reason and save again.
        </p>
      )}
      {save.isError && <Failure error={save.error} />}
      <Button kind="primary" disabled={isUnchanged || save.isPending} onClick={() => save.mutate()}>
        {isOwnContent ? 'Save' : `Save version ${memory.version + 1}`}
      </Button>
    </Dialog>
  )
}

function DeleteDialog({ memory, onClose, onGone }: EntryActionsProps & { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.memories.delete(memory.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onGone()
    },
  })
  return (
    <Dialog open onClose={onClose} title="Delete this memory?">
      <p className="mb-4">
        It ends now. Views of the past still have it, and if another source said something else, that holds next. To
        leave nothing behind, forget it instead.
      </p>
      {remove.isError && <Failure error={remove.error} />}
      <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
        Delete
      </Button>
    </Dialog>
  )
}
