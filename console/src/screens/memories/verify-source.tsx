import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextAreaField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

/** Compares original messages with the payload hash. Works also after the payload is deleted. */
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
        title="Verify the source event"
        description="Paste the messages as they were sent. Their hash is compared with the payload hash. They are not stored."
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
            {verify.data.matches
              ? 'The messages match the payload hash.'
              : 'The messages do not match the payload hash.'}
          </p>
        )}
      </Dialog>
    </>
  )
}

function parseMessages(text: string): object[] {
  const given: unknown = JSON.parse(text)
  if (!Array.isArray(given)) throw new Error('The messages must be a JSON array.')
  return given as object[]
}
