import type { Command } from 'commander'
import { CliError, exitCodes } from '../exit-codes.ts'
import { parseJson, readJsonObject } from '../json-input.ts'
import { action, type CommandContext } from '../run.ts'
import { type Run, runPath, tellWhatIsLeft, waitForRun, waitOption } from '../wait-for-run.ts'
import { addInspectCommands } from './run-inspect.ts'

/** runs list, start, show, events, reads, cancel, pause, resume, answer, fork, diff. */
export function addRunCommands(program: Command): void {
  const runs = program.command('runs').description('runs of workflows')
  const isEmbedded = () => !(program.opts<{ url?: string }>().url ?? process.env.COLOPHON_URL)
  addMakingCommands(runs, isEmbedded)
  addInspectCommands(runs)
  addControlCommands(runs, isEmbedded)
}

type StartOptions = { input?: string; inputsFile?: string; wait?: true }
type ForkOptions = { mode: string; fromSeq?: string; wait?: true }

/** Prints the new run's id, and nothing else on standard output: `run=$(colophon runs start greet)`. */
function addMakingCommands(runs: Command, isEmbedded: () => boolean): void {
  runs
    .command('start <workflow>')
    .description('start a run and print its id')
    .option('--input <json>', 'the inputs, as a JSON object')
    .option('--inputs-file <file>', 'a file with the inputs')
    .option(...waitOption)
    .action(
      action<StartOptions>(async (context, [workflowId], options) => {
        const made = await context.caller.call('POST', '/v1/runs', { workflowId, inputs: inputsOf(options) })
        await showMade(context, made as Run, options.wait === true, isEmbedded())
      }),
    )
  runs
    .command('fork <id>')
    .description('replay a run as it was, or branch off it; prints the id of the new run')
    .requiredOption('--mode <mode>', 'replay or branch')
    .option('--from-seq <sequence>', 'the first event that is not taken over')
    .option(...waitOption)
    .action(
      action<ForkOptions>(async (context, [id], { mode, fromSeq, wait }) => {
        const draft = { mode, ...(fromSeq === undefined ? {} : { fromSeq: Number(fromSeq) }) }
        const made = await context.caller.call('POST', `${runPath(id)}:fork`, draft)
        await showMade(context, made as Run, wait === true, isEmbedded())
      }),
    )
}

function inputsOf({ input, inputsFile }: StartOptions): unknown {
  if (input !== undefined && inputsFile !== undefined)
    throw new CliError('Give --input or --inputs-file, not both.', exitCodes.usage)
  if (inputsFile !== undefined) return readJsonObject(inputsFile)
  return input === undefined ? undefined : parseJson(input, '--input')
}

async function showMade(context: CommandContext, made: Run, isWaiting: boolean, isEmbedded: boolean): Promise<void> {
  const { caller, output } = context
  const run = isWaiting ? await waitForRun(caller, made.runId) : made
  output.show(run, () => run.runId)
  tellWhatIsLeft(run, isEmbedded)
}

function addControlCommands(runs: Command, isEmbedded: () => boolean): void {
  const say = ({ output }: CommandContext, state: { runId: string; status: string }) =>
    output.show(state, () => `${state.runId} is ${state.status}`)

  runs
    .command('cancel <id>')
    .description('end a run and the runs inside it')
    .option('--reason <text>', 'why')
    .action(
      action<{ reason?: string }>(async (context, [id], { reason }) => {
        say(context, (await context.caller.call('POST', `${runPath(id)}/cancel`, { reason })) as Run)
      }),
    )
  runs
    .command('pause <id>')
    .description('let the current node finish, then stop')
    .option('--reason <text>', 'why')
    .option('--immediate', 'cut the current node short; it starts afresh later')
    .action(
      action<{ reason?: string; immediate?: true }>(async (context, [id], { reason, immediate }) => {
        const draft = { reason, ...(immediate ? { drainPolicy: 'immediate' } : {}) }
        say(context, (await context.caller.call('POST', `${runPath(id)}:pause`, draft)) as Run)
      }),
    )
  runs
    .command('resume <id>')
    .description('go on after a pause')
    .option('--reason <text>', 'why')
    .option(...waitOption)
    .action(
      action<{ reason?: string; wait?: true }>(async (context, [id = ''], { reason, wait }) => {
        const state = (await context.caller.call('POST', `${runPath(id)}:resume`, { reason })) as Run
        await sayAndWait(context, state, wait === true)
      }),
    )
  runs
    .command('answer <id> <node> <value>')
    .description('answer what a run waits for, with a JSON value')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async (context, [id = '', node = '', value = ''], { wait }) => {
        const path = `${runPath(id)}/interrupts/${encodeURIComponent(node)}`
        const resumeValue = parseJson(value, 'The answer')
        const state = (await context.caller.call('POST', path, { resumeValue })) as Run
        await sayAndWait(context, state, wait === true)
      }),
    )

  async function sayAndWait(context: CommandContext, state: Run, isWaiting: boolean): Promise<void> {
    const run = isWaiting ? await waitForRun(context.caller, state.runId) : state
    say(context, run)
    tellWhatIsLeft(run, isEmbedded())
  }
}
