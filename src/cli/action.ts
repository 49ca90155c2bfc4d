import type { Command } from 'commander'
import type { Client } from '../client/index.ts'
import { isColophonError } from '../core/errors.ts'
import { withClient } from './connection.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { createOutput, escapeForTerminal, type Output } from './output.ts'

/** The options of every command. */
export type GlobalOptions = {
  url?: string
  key?: string
  profile?: string
  tenant?: string
  reader?: string
  json?: boolean
}

/** What the action of a command gets. */
export type CommandContext = {
  readonly client: Client
  readonly output: Output
  /** Whether the server runs in this process. Then it ends with the command. */
  readonly isEmbedded: boolean
}

/** Options have the types of the client. The server checks the values of enums. */
type Body<Options> = (context: CommandContext, args: readonly (string | undefined)[], options: Options) => Promise<void>

/** The action of a command, with a client and an output. Every failure becomes a message and an exit code. */
export function action<Options = Record<string, never>>(
  body: Body<Options>,
  special: { readonly operator?: boolean; readonly retries?: number; readonly creates?: boolean } = {},
) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command
    const options = given.at(-2) as Options
    const args = given.slice(0, -2) as (string | undefined)[]
    const { json = false, ...connection } = command.optsWithGlobals<GlobalOptions>()
    await reportFailure(() =>
      withClient({ ...connection, ...special }, (client, isEmbedded) =>
        body({ client, output: createOutput(json), isEmbedded }, args, options),
      ),
    )
  }
}

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
