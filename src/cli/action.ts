import type { Command } from 'commander'
import type { Client } from '../client/index.ts'
import { withClient } from './connection.ts'
import { createOutput, type Output } from './output.ts'
import { reportFailure } from './report-failure.ts'

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
