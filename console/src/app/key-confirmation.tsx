import { type Client, createClient } from '../../../src/client/index.ts'
import { TextField } from '../ui/field.tsx'
import { api } from './api.ts'

type KeyFieldProps = { readonly value: string; readonly onChange: (key: string) => void }

/** Asks for the key again: a session makes no keys and no webhooks, so that what a stolen one does ends with the session. */
export function KeyField({ value, onChange }: KeyFieldProps) {
  return (
    <TextField
      label="Your API key"
      hint="(the one you logged in with)"
      type="password"
      autoComplete="current-password"
      spellCheck={false}
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  )
}

/** A client with the key itself. A key of another tenant would act there, so it must be the key of the session. */
export async function clientWithKey(key: string): Promise<Client> {
  const client = createClient({ url: '', key: key.trim(), retry: { retries: 0 } })
  const [given, own] = await Promise.all([client.session(), api.session()])
  if (given.keyId !== own.keyId || given.tenant !== own.tenant)
    throw new Error('This is another key. Use the one that you logged in with.')
  return client
}
