import { isColophonError } from '../core/errors.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { escapeForTerminal } from './output.ts'

/** Runs a command without a client. Every failure becomes a message and an exit code. */
export async function reportFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const [message, exitCode] = describe(error)
    process.stderr.write(`colophon: ${escapeForTerminal(message)}\n`)
    process.exitCode = exitCode
  }
}

function describe(error: unknown): [message: string, exitCode: number] {
  if (error instanceof CliError) return [error.message, error.exitCode]
  if (error instanceof Error && error.name === 'ConfigError') return [error.message, exitCodes.usage]
  if (isColophonError(error)) {
    const code = error.kind === 'unavailable' || error.kind === 'busy' ? exitCodes.unavailable : exitCodes.refused
    return [`${error.code}: ${error.message} ${error.hint}`, code]
  }
  const system = (error as { code?: unknown } | null)?.code
  if (system === 'EADDRINUSE')
    return ['the port is in use. Set COLOPHON_PORT to another port, or to 0 for any free port.', exitCodes.unavailable]
  if (system === 'EACCES' || system === 'EPERM')
    return [`this user has no permission for ${pathOf(error) ?? 'the port'}.`, exitCodes.unavailable]
  return [error instanceof Error ? error.message : 'internal error', exitCodes.internal]
}

/** The path of a failed system call, such as the data folder; null for a port. */
function pathOf(error: unknown): string | null {
  const { path } = error as { path?: unknown }
  return typeof path === 'string' ? path : null
}
