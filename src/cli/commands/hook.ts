import { Argument, type Command, Option } from 'commander'
import { createClient, isClientError } from '../../client/index.ts'
import { CliError } from '../exit-codes.ts'
import { type Assistant, assistants } from '../hooks/assistants.ts'
import { noteFailure, noteSuccess } from '../hooks/hook-failures.ts'
import { HookError, type HookEvent, hookEvents, parseHookInput } from '../hooks/hook-input.ts'
import { hookLimits, hookMsLeft } from '../hooks/hook-limits.ts'
import { runHook } from '../hooks/run-hook.ts'
import { chooseServer } from '../server-choice.ts'

type Options = {
  for: Assistant
  ref?: string
  service?: string
  subject?: string
  url?: string
  key?: string
  profile?: string
  limitMs: number
}

/** hook: what the hooks of a coding assistant call. It always ends with 0, and within a second. */
export function addHookCommand(program: Command): void {
  program
    .command('hook')
    .description('handle an event of a coding assistant, which sends it on standard input; see `hooks install`')
    .addArgument(new Argument('<event>', 'the event').choices(hookEvents))
    .addOption(new Option('--for <assistant>', 'the assistant').choices(assistants).makeOptionMandatory())
    .option(
      '--ref <ref>',
      'the memoryRef; by default coding/, the name of the project and a digest of its remote or path',
    )
    .option('--service <name>', 'the writer; by default that of the key, or the name of the assistant')
    .option('--subject <person>', 'the person whom the memories are about, for `forget`')
    .option(
      '--limit-ms <count>',
      `when the hook gives up, in milliseconds since its start: at most ${hookLimits.hookMsMax}`,
      String(hookLimits.hookMsDefault),
    )
    .action((event: HookEvent, _options, command: Command) => handle(event, command.optsWithGlobals<Options>()))
}

async function handle(event: HookEvent, options: Options): Promise<void> {
  const { for: assistant } = options
  const fail = (code: string) => noteFailure({ at: new Date().toISOString(), assistant, event, code })
  // Also for what the server or the assistant never sends: the process ends, and a later call of the same turn repeats it.
  const timer = setTimeout(
    () => {
      fail('timed_out')
      process.exit(0)
    },
    hookMsLeft(options.limitMs, process.uptime() * 1000),
  )
  try {
    const input = parseHookInput(await readStandardInput())
    const server = chooseServer(options)
    if (server === null) throw new HookError('not_configured')
    const client = createClient({ ...server, retry: { retries: 2, baseMs: 50, maxMs: 100 } })
    const text = await runHook(client, event, input, { ...options, assistant })
    if (text !== null) await print({ hookSpecificOutput: { hookEventName: event, additionalContext: text } })
    noteSuccess(assistant, new Date().toISOString())
  } catch (error) {
    fail(codeOf(error))
  }
  clearTimeout(timer)
  // The connection is kept open for a next request that never comes.
  process.exit(0)
}

function codeOf(error: unknown): string {
  if (error instanceof HookError || isClientError(error)) return error.code
  return error instanceof CliError ? 'not_configured' : 'internal_error'
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > hookLimits.inputBytesMax) throw new HookError('input_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function print(value: object): Promise<void> {
  return new Promise((resolve) => process.stdout.write(`${JSON.stringify(value)}\n`, () => resolve()))
}
