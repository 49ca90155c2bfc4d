import type { Command } from 'commander'
import type { Client } from '../client/index.ts'
import { isColophonError } from '../core/errors.ts'
import { withClient } from './connection.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { createOutput, harmless, type Output } from './output.ts'

export type GlobalOptions = { url?: string; key?: string; tenant?: string; json?: boolean }

export type CommandContext = {
  readonly client: Client
  readonly output: Output
  /** Whether the server is in this process, which then ends with the command. */
  readonly isEmbedded: boolean
}

/** Options have the types that the client wants; whether a text is one of its words, the server says. */
type Body<Options> = (context: CommandContext, args: readonly (string | undefined)[], options: Options) => Promise<void>

/** Gives a command its client and its output, and turns every failure into one line and an exit code. */
export function action<Options = Record<string, never>>(
  body: Body<Options>,
  special: { readonly operator?: boolean; readonly retries?: number } = {},
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

export async function reportFailure(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const [message, exitCode] = describe(error)
    process.stderr.write(`colophon: ${harmless(message)}\n`)
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
    return ['the port is taken. Set COLOPHON_PORT to another one, or 0 for any.', exitCodes.unavailable]
  if (system === 'EACCES' || system === 'EPERM')
    return ['the data folder or the port may not be used by this user.', exitCodes.unavailable]
  return [error instanceof Error ? error.message : 'something went wrong', exitCodes.internal]
}
