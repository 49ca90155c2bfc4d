import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { RotatedSecret } from '../../../../src/client/index.ts'
import { clientWithKey, KeyField } from '../../app/key-confirmation.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Failure } from '../../ui/states.tsx'

type RotateWebhookProps = {
  readonly webhookId: string
  readonly onClose: () => void
  readonly onMade: (made: RotatedSecret) => void
}

/** Gives a webhook another secret. It asks for the key: a session makes no secrets. */
export function RotateWebhook({ webhookId, onClose, onMade }: RotateWebhookProps) {
  const queries = useQueryClient()
  const [ownKey, setOwnKey] = useState('')
  const rotate = useMutation({
    mutationFn: async () => (await clientWithKey(ownKey)).webhooks.rotateSecret(webhookId),
    // A wrong key is shown here, and does not end the session.
    onError: () => {},
    onSuccess: async (made) => {
      onMade(made)
      await queries.invalidateQueries({ queryKey: ['live', 'webhooks'] })
    },
  })
  return (
    <Dialog open onClose={onClose} title="Rotate the secret of the webhook?" description={webhookId}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          rotate.mutate()
        }}
      >
        <p>
          For 24 hours deliveries are still signed with the present secret, then with the new one: let the receiver
          accept both. If the secret was stolen, remove the webhook and register it again instead.
        </p>
        <KeyField value={ownKey} onChange={setOwnKey} />
        {rotate.isError && <Failure error={rotate.error} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={rotate.isPending || ownKey.trim() === ''}>
            Rotate the secret
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
