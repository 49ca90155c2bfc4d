import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

/** Whoever still has the original messages can prove that these are the ones, also after the payload is gone. */
export function VerifySource({ sourceEventId }: { readonly sourceEventId: string }) {
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const verify = useMutation({
    mutationFn: async () => api.sources.verify(sourceEventId, parseMessages(text)),
  })
  return (
    <>
      <Button small onClick={() => setOpen(true)}>
        Verify
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Is this what was told?"
        description="Paste the messages as they were sent. They are hashed and compared, not stored."
      >
        <TextAreaField
          label="Messages (JSON)"
          className="mb-3"
          value={text}
          spellCheck={false}
          placeholder='[{"role":"user","content":"I prefer tea."}]'
          onChange={(event) => setText(event.target.value)}
        />
        <Button kind="primary" disabled={verify.isPending || text.trim() === ''} onClick={() => verify.mutate()}>
          Compare
        </Button>
        {verify.isError && <Failure error={verify.error} />}
        {verify.isSuccess && (
          <p role="status" className={verify.data.matches ? 'mt-3 text-good' : 'mt-3 text-bad'}>
            {verify.data.matches ? 'These are the messages that were told.' : 'These are other messages.'}
          </p>
        )}
      </Dialog>
    </>
  )
}

function parseMessages(text: string): object[] {
  const given: unknown = JSON.parse(text)
  if (!Array.isArray(given)) throw new Error('The messages are a JSON array.')
  return given as object[]
}
