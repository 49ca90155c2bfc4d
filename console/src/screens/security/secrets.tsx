import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../app/api.ts'
import { Empty } from '../../ui/states.tsx'
import { NamedThings } from './named-things.tsx'
import { RedactStored } from './redact-stored.tsx'

/** The names of the stored secrets. Values are never returned; they are redacted in everything that is written. */
export function Secrets() {
  const secrets = useQuery({ queryKey: ['live', 'secrets'], queryFn: ({ signal }) => api.secrets.list({ signal }) })
  const [stored, setStored] = useState<{ readonly id: string; readonly at: number } | null>(null)
  return (
    <>
      {stored !== null && <RedactStored key={stored.at} secret={stored.id} />}
      <NamedThings
        title="Vault"
        name="secrets"
        query={secrets}
        items={secrets.data?.secrets}
        put={async (id, value) => {
          await api.secrets.put(id, { value })
          setStored({ id, at: Date.now() })
        }}
        remove={(id) => api.secrets.delete(id)}
        removal="Its value is no longer redacted in what is written. Markers that replaced it stay. The value cannot be restored."
        field={{ label: 'Value', type: 'password', autoComplete: 'off' }}
        button="Store"
        empty={<Empty title="The vault is empty." />}
        caption="Secrets"
        columns={[
          { name: 'Scope', cell: (secret) => [secret.scope, secret.userId ?? secret.runId].filter(Boolean).join(' ') },
        ]}
      />
    </>
  )
}
