/** How a command ends, by kind of error, for scripts. */
export const exitCodes = {
  ok: 0,
  internal: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  notAllowed: 5,
  unavailable: 6,
} as const

export function exitCodeOf(status: number): number {
  if (status < 400) return exitCodes.ok
  if (status === 401 || status === 403) return exitCodes.notAllowed
  if (status === 404) return exitCodes.notFound
  if (status === 429 || status === 503) return exitCodes.unavailable
  return status < 500 ? exitCodes.refused : exitCodes.internal
}

/** A command that cannot go on: what to print, and how to end. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: number

  constructor(message: string, exitCode: number) {
    super(message)
    this.exitCode = exitCode
  }
}
