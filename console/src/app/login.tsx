import { useState } from 'react'
import { isClientError } from '../../../src/client/index.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { describe, keyProblem, logIn, logOutNotice } from './session.ts'

/** The login form. The key opens a session and is not kept. */
export function Login() {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState<string | null>(logOutNotice())
  const [busy, setBusy] = useState(false)
  const submit = async (event: React.FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await logIn(key.trim())
    } catch (error) {
      setProblem(describeProblem(error))
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
          The first start of the server prints a key. It is not kept: this browser gets a session, for at most 12 hours.
        </p>
        <Button kind="primary" type="submit" disabled={busy || key.trim() === ''} className="mt-5 w-full">
          {busy ? 'Checking …' : 'Open the console'}
        </Button>
      </form>
    </main>
  )
}

function describeProblem(error: unknown): string {
  if (isClientError(error, 'unauthenticated')) return 'Unknown API key. Check that you copied all of it.'
  return keyProblem(error) ?? describe(error)
}
