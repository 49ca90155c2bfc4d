import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Empty, Failure, Loading } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

/** Names of stored secrets. A value goes in and never comes out: whatever contains it is redacted. */
export function Secrets() {
  const queries = useQueryClient()
  const [id, setId] = useState('')
  const [value, setValue] = useState('')
  const secrets = useQuery({ queryKey: ['live', 'secrets'], queryFn: ({ signal }) => api.secrets.list({ signal }) })
  const refresh = () => queries.invalidateQueries({ queryKey: ['live', 'secrets'] })
  const store = useMutation({
    mutationFn: () => api.secrets.put(id.trim(), { value }),
    onSuccess: async () => {
      setId('')
      setValue('')
      await refresh()
    },
  })
  const remove = useMutation({ mutationFn: (name: string) => api.secrets.delete(name), onSuccess: refresh })
  return (
    <Panel title="Vault">
      <form
        className="flex flex-wrap items-end gap-2 border-line border-b p-4"
        onSubmit={(event) => {
          event.preventDefault()
          store.mutate()
        }}
      >
        <TextField label="Name" required value={id} onChange={(event) => setId(event.target.value)} />
        <TextField
          label="Value"
          type="password"
          autoComplete="off"
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
        <Button kind="primary" type="submit" disabled={store.isPending || id.trim() === '' || value === ''}>
          Store
        </Button>
      </form>
      {store.isError && <Failure error={store.error} />}
      {remove.isError && <Failure error={remove.error} />}
      {secrets.isPending && <Loading />}
      {secrets.isError && <Failure error={secrets.error} onRetry={() => secrets.refetch()} />}
      {secrets.data?.secrets.length === 0 && <Empty title="The vault is empty." />}
      {secrets.data !== undefined && secrets.data.secrets.length > 0 && (
        <Table
          caption="Secrets"
          items={secrets.data.secrets}
          keyOf={(secret) => secret.id}
          columns={[
            { name: 'Name', cell: (secret) => <code className="font-mono text-xs">{secret.id}</code> },
            {
              name: 'Scope',
              cell: (secret) => [secret.scope, secret.userId ?? secret.runId].filter(Boolean).join(' '),
            },
            { name: 'Changed', cell: (secret) => <Time at={secret.updatedAt} short /> },
            {
              name: 'Actions',
              isNameHidden: true,
              cell: (secret) => (
                <Button small kind="danger" disabled={remove.isPending} onClick={() => remove.mutate(secret.id)}>
                  Delete {secret.id}
                </Button>
              ),
            },
          ]}
        />
      )}
    </Panel>
  )
}
