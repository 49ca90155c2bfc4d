import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { NewKey } from '../../../../src/client/index.ts'
import { scopes } from '../../../../src/core/access/scopes.ts'
import { clientWithKey, KeyField } from '../../app/key-confirmation.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Failure } from '../../ui/states.tsx'

type NewKeyDialogProps = { readonly onClose: () => void; readonly onMade: (made: NewKey) => void }

export function NewKeyDialog({ onClose, onMade }: NewKeyDialogProps) {
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [ownKey, setOwnKey] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>(['memory:read'])
  const create = useMutation({
    mutationFn: async () => (await clientWithKey(ownKey)).keys.create({ name: name.trim(), scopes: [...chosen] }),
    // A wrong key is shown here, and does not end the session.
    onError: () => {},
    onSuccess: async (made) => {
      onClose()
      onMade(made)
      await queries.invalidateQueries({ queryKey: ['live', 'keys'] })
    },
  })
  const toggle = (scope: string) =>
    setChosen(chosen.includes(scope) ? chosen.filter((name) => name !== scope) : [...chosen, scope])
  return (
    <Dialog open onClose={onClose} title="New key" description="Choose only the scopes that its user needs.">
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextField label="Name" autoFocus required value={name} onChange={(event) => setName(event.target.value)} />
        <fieldset>
          <legend className="mb-1 font-medium text-muted text-xs">Scopes</legend>
          <div className="grid grid-cols-2 gap-1">
            {scopes.map((scope) => (
              <label key={scope} className="flex items-center gap-2 font-mono text-xs">
                <input type="checkbox" checked={chosen.includes(scope)} onChange={() => toggle(scope)} />
                {scope}
              </label>
            ))}
          </div>
        </fieldset>
        <KeyField value={ownKey} onChange={setOwnKey} />
        {create.isError && <Failure error={create.error} />}
        <Button
          kind="primary"
          type="submit"
          disabled={create.isPending || name.trim() === '' || ownKey.trim() === '' || chosen.length === 0}
        >
          Create the key
        </Button>
      </form>
    </Dialog>
  )
}
