import type { Command } from 'commander'
import { isClientError } from '../../client/index.ts'
import { openWitnessState } from '../../operate/witness-state.ts'
import { action, type CommandContext } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { warn } from '../output.ts'
import { type Witnessed, witnessLog } from '../witness.ts'

type Options = {
  readonly state: string
  readonly name: string
  readonly logKey?: string
  readonly compare?: readonly string[]
  readonly once?: boolean
  readonly every?: number
}

/** witness. */
export function addWitnessCommand(program: Command): void {
  program
    .command('witness')
    .description(
      'keep and cosign the checkpoints of the audit log of a server, and fail if the log shows another history',
    )
    .option('--state <folder>', 'the folder for keys and checkpoints, one for each log', 'colophon-witness')
    .option('--name <name>', 'the name of this witness in its cosignatures', 'colophon-witness')
    .option('--log-key <key>', 'the verifier key of the log; without it, the key of the first checkpoint is trusted')
    .option('--compare <files...>', 'checkpoints that other witnesses keep: this log must continue them too')
    .option('--once', 'check once and end (default)')
    .option('--every <seconds>', 'check again and again, with this pause')
    .action(action<Options>(witness))
}

async function witness({ client, output }: CommandContext, _args: unknown, options: Options): Promise<void> {
  const { state: folder, name, logKey, compare = [], once = false, every } = options
  if (once && every !== undefined) throw new CliError('Use --once or --every, not both.', exitCodes.usage)
  if (every !== undefined && every < 1) throw new CliError('--every must be at least 1.', exitCodes.usage)
  if (!/^[^\s+]{1,100}$/.test(name))
    throw new CliError('--name must have 1 to 100 characters, without spaces and "+".', exitCodes.usage)
  const check = async () => {
    // Read anew each time: the kept checkpoint of the last check is the one to continue.
    const witnessed = await witnessLog(client, openWitnessState(folder), { name, logKey, compare, now: Date.now })
    output.show(witnessed, () => textOf(witnessed))
  }
  if (every === undefined) return check()
  for (;;) {
    try {
      await check()
    } catch (error) {
      // A server that cannot be reached now says nothing about its log.
      if (!isClientError(error)) throw error
      warn(`${error.code}: ${error.message}`)
    }
    await new Promise((resolve) => setTimeout(resolve, every * 1000))
  }
}

function textOf({ status, size, previousSize, origin, root, file }: Witnessed): string {
  const since = status === 'grown' ? ` (${previousSize} before)` : ''
  return `${status}: ${origin} size ${size}${since} root ${root}, cosigned in ${file}`
}
