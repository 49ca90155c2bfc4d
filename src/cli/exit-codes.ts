/** The exit code of a command, for scripts. `help.ts` and docs/CLI.md show this table. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  forbidden: 5,
  unavailable: 6,
} as const

/** The exit code for an HTTP status. */
export function exitCodeOf(status: number): number {
  if (status < 400) return exitCodes.ok
  if (status === 401 || status === 403) return exitCodes.forbidden
  if (status === 404) return exitCodes.notFound
  if (status === 429 || status === 503) return exitCodes.unavailable
  // Its quota is full.
  if (status === 507) return exitCodes.refused
  return status < 500 ? exitCodes.refused : exitCodes.internal
}

/** What the server said of a refusal, for --json. */
export type CliErrorFacts = {
  readonly code?: string
  readonly hint?: string | undefined
  readonly details?: Readonly<Record<string, unknown>>
}

/** An error of a command: the message to print, and the exit code. For --json, what the server said: `message` then is only that of the server. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number
  readonly facts: CliErrorFacts & { readonly message?: string }

  constructor(message: string, exitCode: number, facts: CliError['facts'] = {}) {
    super(message)
    this.exitCode = exitCode
    this.facts = facts
  }
}
