import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { KeyList, NewKey } from '../../../../src/client/index.ts'
import { useIsOwnKey } from '../../app/caller.ts'
import { clientWithKey, KeyField } from '../../app/key-confirmation.tsx'
import { replaceKey } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

const hour = 3_600_000
const overlaps: readonly (readonly [name: string, ms: number])[] = [
  ['at once', 0],
  ['in 1 hour', hour],
  ['in 24 hours', 24 * hour],
  ['in 7 days', 7 * 24 * hour],
]

type RotateKeyProps = {
  readonly item: KeyList['keys'][number]
  readonly onClose: () => void
  readonly onMade: (made: NewKey, isAdopted: boolean) => void
}

/** Replaces a key. Both keys work during the overlap. If it is the key of this session, a session with the new one replaces it. */
export function RotateKey({ item, onClose, onMade }: RotateKeyProps) {
  const queries = useQueryClient()
  const [overlapMs, setOverlapMs] = useState(hour)
  const [ownKey, setOwnKey] = useState('')
  const isOwn = useIsOwnKey()(item.id)
  const rotate = useMutation({
    mutationFn: async () => {
      const client = await clientWithKey(ownKey)
      const rotateNow = () => client.keys.rotate(item.id, { overlapMs })
      return isOwn ? replaceKey(rotateNow) : rotateNow()
    },
    // A wrong key is shown here, and does not end the session.
    onError: () => {},
    onSuccess: async (made) => {
      onMade(made, isOwn && made.key !== undefined)
      await queries.invalidateQueries()
    },
  })
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Rotate the key “${item.name}”?`}
      description="A new key with the same name, scopes and expiry replaces it."
    >
      {isOwn && (
        <p className="mb-3 rounded-md border border-warn p-3">
          You are logged in with this key. This browser stays logged in, with the new key. Other programs that use it
          stop working when the old key ends.
        </p>
      )}
      <SelectField
        label="The old key ends"
        className="mb-4"
        value={overlapMs}
        onChange={(event) => setOverlapMs(Number(event.target.value))}
      >
        {overlaps.map(([name, ms]) => (
          <option key={ms} value={ms}>
            {name}
          </option>
        ))}
      </SelectField>
      <KeyField value={ownKey} onChange={setOwnKey} />
      {rotate.isError && <Failure error={rotate.error} />}
      <div className="mt-4 flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={rotate.isPending || ownKey.trim() === ''} onClick={() => rotate.mutate()}>
          Rotate {item.name}
        </Button>
      </div>
    </Dialog>
  )
}
