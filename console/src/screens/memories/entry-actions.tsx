import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Memory } from '../../../../src/client/index.ts'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'
import { ForgetDialog } from '../time/forget-dialog.tsx'

type EntryActionsProps = { readonly memory: Memory; readonly onGone: () => void }

/** Edit makes a new version, delete ends the memory; both leave what was before where it is. */
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

function EditDialog({ memory, onClose }: { readonly memory: Memory; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const [content, setContent] = useState(memory.content)
  const save = useMutation({
    mutationFn: () => api.memories.patch(memory.id, { content }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      onClose()
    },
  })
  const isUnchanged = content === memory.content || content.trim() === ''
  return (
    <Dialog open onClose={onClose} title="Edit as a new version" description="The present version stays readable.">
      <TextAreaField
        label="Content"
        className="mb-3"
        value={content}
        onChange={(event) => setContent(event.target.value)}
      />
      {save.isError && <Failure error={save.error} />}
      <Button kind="primary" disabled={isUnchanged || save.isPending} onClick={() => save.mutate()}>
        Save version {memory.version + 1}
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
