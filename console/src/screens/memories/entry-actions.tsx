import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { useScope } from '../../app/caller.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ForgetDialog } from '../privacy/forget-dialog.tsx'

type EntryActionsProps = { readonly memory: Memory; readonly onDeleted: () => void }

/** Edit, delete, always include and forget. After an edit or a deletion, earlier versions stay readable. */
export function EntryActions({ memory, onDeleted }: EntryActionsProps) {
  const [doing, setDoing] = useState<'edit' | 'delete' | 'forget' | null>(null)
  const navigate = useNavigate()
  const erasing = useScope('memory:admin')
  const subject = memory.memory_ref.startsWith('subject:') ? memory.memory_ref.slice('subject:'.length) : null
  return (
    <div className="mb-5 flex flex-wrap gap-2">
      <Button small {...useScope('memory:write')} onClick={() => setDoing('edit')}>
        Edit
      </Button>
      <Button small kind="danger" {...useScope('memory:delete')} onClick={() => setDoing('delete')}>
        Delete
      </Button>
      {subject !== null && memory.status === 'active' && <AlwaysIncludeSwitch memory={memory} />}
      {subject !== null && (
        <Button small kind="danger" {...erasing} onClick={() => setDoing('forget')}>
          Erase the subject …
        </Button>
      )}
      {doing === 'forget' && subject !== null && (
        <ForgetDialog
          by="subject"
          value={subject}
          onClose={() => setDoing(null)}
          onStarted={(forget) => void navigate({ to: '/privacy', search: { forget } })}
        />
      )}
      {doing === 'edit' && <EditDialog memory={memory} onClose={() => setDoing(null)} />}
      {doing === 'delete' && <DeleteDialog memory={memory} onClose={() => setDoing(null)} onDeleted={onDeleted} />}
    </div>
  )
}

/** Puts the memory into every prompt about its subject, or takes it out again. */
function AlwaysIncludeSwitch({ memory }: { readonly memory: Memory }) {
  const queries = useQueryClient()
  const isOn = memory.always_include === true
  const scope = useScope('memory:admin')
  const save = useMutation({
    mutationFn: () => api.memories.patch(memory.id, { always_include: !isOn }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  return (
    <>
      <Button
        small
        role="switch"
        aria-checked={isOn}
        {...scope}
        disabled={scope.disabled || save.isPending}
        onClick={() => save.mutate()}
      >
        {isOn ? 'In every prompt: on' : 'In every prompt: off'}
      </Button>
      {save.isError && <Failure error={save.error} />}
    </>
  )
}

/** An edit is an assertion of the current key: another content can win, unless a reason pins the edit. */
function EditDialog({ memory, onClose }: { readonly memory: Memory; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [content, setContent] = useState(memory.content)
  const [reason, setReason] = useState('')
  const isStated = memory.sources > 0
  const save = useMutation({
    mutationFn: () =>
      api.memories.patch(memory.id, { content, reason: reason.trim() === '' ? undefined : reason.trim() }),
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      if (saved.status === 'superseded') return
      if (saved.id !== memory.id) void navigate({ to: '/memories/$id', params: { id: saved.id } })
      onClose()
    },
  })
  const isUnchanged = content === memory.content || content.trim() === ''
  const isOwnContent = memory.claim_key !== null
  return (
    <Dialog
      open
      onClose={onClose}
      title={isOwnContent ? 'Edit the content' : 'Edit as a new version'}
      description={
        isStated
          ? 'The new content is stored as an assertion of your key. The assertions of its sources stay, with their provenance.'
          : 'The current version stays readable.'
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
          hint="(with the scope memory:admin, a reason pins the new content; without a reason, the priorities decide)"
          className="mb-3"
          value={reason}
          onChange={(event) => setReason(event.target.value)}
        />
      )}
      {save.data?.status === 'superseded' && (
        <p role="status" className="mb-3 text-sm">
          Stored as superseded: another content has a higher priority. To make it the winner, enter a reason and save
          again.
        </p>
      )}
      {save.isError && <Failure error={save.error} />}
      <Button kind="primary" disabled={isUnchanged || save.isPending} onClick={() => save.mutate()}>
        {isOwnContent ? 'Save' : `Save version ${memory.version + 1}`}
      </Button>
    </Dialog>
  )
}

function DeleteDialog({ memory, onClose, onDeleted }: EntryActionsProps & { readonly onClose: () => void }) {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => api.memories.delete(memory.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onDeleted()
    },
  })
  return (
    <Dialog open onClose={onClose} title="Delete this memory?">
      <p className="mb-4">
        Earlier snapshots keep it. If its claim has other contents, the next one wins. To erase it from earlier
        snapshots too, erase the subject instead.
      </p>
      {remove.isError && <Failure error={remove.error} />}
      <Button kind="danger" disabled={remove.isPending} onClick={() => remove.mutate()}>
        Delete
      </Button>
    </Dialog>
  )
}
