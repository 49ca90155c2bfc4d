import type { Command } from 'commander'
import type { ForkDraft, RunDraft, RunSnapshot } from '../../client/index.ts'
import { action, type CommandContext } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { parseJson, readJsonObject } from '../json-input.ts'
import { noteUnfinishedRun, waitForRun, waitOption } from '../run-outcome.ts'
import { addRunInspectCommands } from './run-inspect.ts'

/** runs list, start, show, events, reads, cancel, pause, resume, answer, fork, diff. */
export function addRunCommands(program: Command): void {
  const runs = program.command('runs').description('runs of workflows')
  addCreateCommands(runs)
  addRunInspectCommands(runs)
  addControlCommands(runs)
}

type StartOptions = { input?: string; inputsFile?: string; wait?: true }
type ForkOptions = ForkDraft & { wait?: true }
/** The members of a run that every response about one has. */
type RunState = Pick<RunSnapshot, 'runId' | 'status'>

/** Standard output is only the id of the new run: `run=$(colophon runs start greet)`. */
function addCreateCommands(runs: Command): void {
  runs
    .command('start <workflow>')
    .description('start a run and print its id')
    .option('--input <json>', 'the inputs as a JSON object')
    .option('--inputs-file <file>', 'a file with the inputs as a JSON object')
    .option(...waitOption)
    .action(
      action<StartOptions>(async (context, [workflowId = ''], options) => {
        const made = await context.client.runs.create({ workflowId, inputs: inputsOf(options) })
        await showRun(context, made, options.wait, ({ runId }) => runId)
      }),
    )
  runs
    .command('fork <id>')
    .description('replay a run, or branch from one of its events; prints the id of the new run')
    .requiredOption('--mode <mode>', 'replay or branch')
    .option('--from-seq <sequence>', 'the first event that is not inherited')
    .option(...waitOption)
    .action(
      action<ForkOptions>(async (context, [id = ''], { wait, ...draft }) => {
        const made = await context.client.runs.fork(id, draft)
        await showRun(context, made, wait, ({ runId }) => runId)
      }),
    )
}

function inputsOf({ input, inputsFile }: StartOptions): RunDraft['inputs'] {
  if (input !== undefined && inputsFile !== undefined)
    throw new CliError('Use --input or --inputs-file, not both.', exitCodes.usage)
  if (inputsFile !== undefined) return readJsonObject(inputsFile)
  // The server checks that it is an object.
  return input === undefined ? undefined : (parseJson(input, '--input') as RunDraft['inputs'])
}

async function showRun(
  { client, output, isEmbedded }: CommandContext,
  state: RunState,
  isWaiting: boolean | undefined,
  asText: (run: RunState) => string,
): Promise<void> {
  const run = isWaiting ? await waitForRun(client, state.runId) : state
  output.show(run, () => asText(run))
  noteUnfinishedRun(run, isEmbedded)
}

function statusLine({ runId, status }: RunState): string {
  return `${runId} is ${status}`
}

function addControlCommands(runs: Command): void {
  runs
    .command('cancel <id>')
    .description('cancel a run and its child runs')
    .option('--reason <text>', 'the reason, for the log')
    .action(
      action<{ reason?: string }>(async ({ client, output }, [id = ''], { reason }) => {
        const state = await client.runs.cancel(id, { reason })
        output.show(state, () => statusLine(state))
      }),
    )
  runs
    .command('pause <id>')
    .description('pause a run after its current node')
    .option('--reason <text>', 'the reason, for the log')
    .option('--immediate', 'stop the current node at once; it starts again on resume')
    .action(
      action<{ reason?: string; immediate?: true }>(async ({ client, output }, [id = ''], { reason, immediate }) => {
        const state = await client.runs.pause(id, { reason, drainPolicy: immediate && 'immediate' })
        output.show(state, () => statusLine(state))
      }),
    )
  runs
    .command('resume <id>')
    .description('resume a paused run')
    .option('--reason <text>', 'the reason, for the log')
    .option(...waitOption)
    .action(
      action<{ reason?: string; wait?: true }>(async (context, [id = ''], { reason, wait }) => {
        await showRun(context, await context.client.runs.resume(id, { reason }), wait, statusLine)
      }),
    )
  runs
    .command('answer <id> <node> <value>')
    .description('resolve the interrupt that a run waits for, with a JSON value')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async (context, [id = '', node = '', value = ''], { wait }) => {
        const state = await context.client.interrupts.answer(id, node, parseJson(value, 'The answer'))
        await showRun(context, state, wait, statusLine)
      }),
    )
}
