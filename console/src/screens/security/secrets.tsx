import { useQuery } from '@tanstack/react-query'
import { api } from '../../app/api.ts'
import { Empty } from '../../ui/states.tsx'
import { NamedThings } from './named-things.tsx'

/** The names of the stored secrets. Values are never returned; they are redacted in everything that is written. */
export function Secrets() {
  const secrets = useQuery({ queryKey: ['live', 'secrets'], queryFn: ({ signal }) => api.secrets.list({ signal }) })
  return (
    <NamedThings
      title="Vault"
      name="secrets"
      query={secrets}
      items={secrets.data?.secrets}
      put={(id, value) => api.secrets.put(id, { value })}
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
  )
}
