import { useState } from 'react'
import { createClient, isClientError } from '../../../src/client/index.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { logIn, logOutNotice } from './session.ts'

/** The login form. The key is tested before it is stored, so that an invalid key is reported here. */
export function Login() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string | null>(logOutNotice())
  const [busy, setBusy] = useState(false)
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await createClient({ url: '', key: key.trim(), retry: { retries: 0 } }).settings.get()
      logIn(key.trim())
    } catch (error) {
      // 403: the key is valid, but lacks the scope for this request.
      if (isClientError(error) && error.status === 403) logIn(key.trim())
      else setProblem(describeProblem(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="grid min-h-full place-items-center p-6">
      <form onSubmit={submit} className="w-full max-w-md rounded-lg border border-line bg-raised p-8">
        <h1 className="font-serif text-3xl">Colophon</h1>
        <p className="mt-1 mb-6 text-muted">
          A memory server for AI agents: every memory has a source, and every past state can be read.
        </p>
        {problem !== null && (
          <p role="alert" className="mb-4 rounded-md border border-bad p-3 text-bad">
            {problem}
          </p>
        )}
        <TextField
          label="API key"
          type="password"
          autoComplete="current-password"
          spellCheck={false}
          required
          autoFocus
          value={key}
          onChange={(event) => setKey(event.target.value)}
        />
        <p className="mt-2 text-xs text-muted">
          The first start of the server prints a key. The key is kept in this tab only, until you close it.
        </p>
        <Button kind="primary" type="submit" disabled={busy || key.trim() === ''} className="mt-5 w-full">
          {busy ? 'Checking …' : 'Open the console'}
        </Button>
      </form>
    </main>
  )
}

function describeProblem(error: unknown): string {
  if (isClientError(error) && error.status === 401) return 'Unknown API key. Check that you copied all of it.'
  return error instanceof Error ? error.message : 'The server cannot be reached.'
}
