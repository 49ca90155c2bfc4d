import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { Argument, type Command } from 'commander'
import type { GlobalOptions } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { type Assistant, assistantSettings, assistants, type HookCommand } from '../hooks/assistants.ts'
import { chooseOldName } from '../hooks/old-names.ts'
import { projectOf } from '../hooks/project.ts'
import { SettingsRefused } from '../hooks/settings-json.ts'
import { createOutput, escapeForTerminal } from '../output.ts'
import { reportFailure } from '../report-failure.ts'
import { chooseServer } from '../server-choice.ts'

type InstallOptions = GlobalOptions & { ref?: string; service?: string; subject?: string; oldName?: true; yes?: true }

/** hooks install, hooks remove: memory for coding assistants, without a change of how they are used. */
export function addHooksCommands(program: Command): void {
  const hooks = program
    .command('hooks')
    .description('give a coding assistant memory: recall at the start, remember at each turn')
  const which = () => new Argument('<assistant>', 'the assistant').choices(assistants)
  hooks
    .command('install')
    .description('add hooks to the settings of an assistant; shows the change and asks first')
    .addArgument(which())
    .option(
      '--ref <ref>',
      'the memoryRef; by default coding/, the name of the project and a digest of its remote or path',
    )
    .option('--service <name>', 'the writer; by default that of the key, or the name of the assistant')
    .option('--subject <person>', 'the person whom the memories are about, for `forget`')
    .option(
      '--old-name',
      'in the project of this folder, read coding/NAME of earlier versions too: any project of this name may have written it',
    )
    .option('--yes', 'change the settings without asking')
    .action((assistant: Assistant, _options, command: Command) =>
      reportFailure(() => install(assistant, command.optsWithGlobals<InstallOptions>())),
    )
  hooks
    .command('remove')
    .alias('uninstall')
    .description('remove these hooks from the settings of an assistant; everything else stays')
    .addArgument(which())
    .option('--yes', 'change the settings without asking')
    .action((assistant: Assistant, _options, command: Command) =>
      reportFailure(() => remove(assistant, command.optsWithGlobals<InstallOptions>())),
    )
}

async function install(assistant: Assistant, options: InstallOptions): Promise<void> {
  if (options.key !== undefined)
    throw new CliError(
      'A key must not be in the settings of an assistant. Store it: colophon login --url URL',
      exitCodes.usage,
    )
  if (chooseServer(options) === null)
    throw new CliError('The hooks need a server. Log in first: colophon login --url URL', exitCodes.usage)
  const { file, install: change, nextStep } = assistantSettings[assistant]
  const place = file(process.env)
  const before = read(place)
  const command = commandOf(assistant, options)
  const after = orRefuse(place, `Add this by hand:\n${change(null, command)}`, () => change(before, command))
  await apply({ assistant, place, before, after, nextStep }, options)
  if (options.oldName) chooseOldName(projectOf(process.cwd()))
}

async function remove(assistant: Assistant, options: InstallOptions): Promise<void> {
  const { file, remove: change } = assistantSettings[assistant]
  const place = file(process.env)
  const before = read(place)
  const byHand = `Remove by hand what calls: hook EVENT --for ${assistant}`
  const after = before === null ? null : orRefuse(place, byHand, () => change(before))
  await apply({ assistant, place, before, after, nextStep: '' }, options)
}

function orRefuse<T>(place: string, byHand: string, change: () => T): T {
  try {
    return change()
  } catch (error) {
    if (!(error instanceof SettingsRefused)) throw error
    throw new CliError(`${place} ${error.message} Nothing was changed. ${byHand}`, exitCodes.refused)
  }
}

/** The program by its path, so that the hooks work in every folder and without a PATH. */
function commandOf(assistant: Assistant, { ref, service, subject, profile, url }: InstallOptions): HookCommand {
  const named = { ref, service, subject, profile, url }
  const options = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]))
  return { program: [process.execPath, process.argv[1] ?? ''], options: ['--for', assistant, ...options] }
}

type Change = {
  readonly assistant: Assistant
  readonly place: string
  readonly before: string | null
  readonly after: string | null
  readonly nextStep: string
}

async function apply({ assistant, place, before, after, nextStep }: Change, { yes, json = false }: InstallOptions) {
  const output = createOutput(json)
  const changed = before !== after
  if (!changed) return output.show({ assistant, file: place, changed }, () => `${place} needs no change`)
  if (!json || !yes) process.stderr.write(`${escapeForTerminal(describe(place, before, after))}\n`)
  if (!yes) await confirm()
  write(place, after)
  output.show({ assistant, file: place, changed }, () =>
    [`changed ${place}`, ...(nextStep === '' ? [] : [nextStep])].join('\n'),
  )
}

/** The lines that go and the lines that come. */
function describe(place: string, before: string | null, after: string | null): string {
  const [old, next] = [before?.split(/\r?\n/) ?? [], after?.split(/\r?\n/) ?? []]
  const start = old.findIndex((line, index) => line !== next[index])
  const from = start < 0 ? old.length : start
  let end = 0
  while (end < Math.min(old.length, next.length) - from && old.at(-1 - end) === next.at(-1 - end)) end++
  return [
    after === null ? `removes ${place}` : before === null ? `creates ${place}` : `changes ${place}`,
    ...old.slice(from, old.length - end).map((line) => `- ${line}`),
    ...next.slice(from, next.length - end).map((line) => `+ ${line}`),
  ].join('\n')
}

async function confirm(): Promise<void> {
  if (!process.stdin.isTTY) throw new CliError('Nothing was changed. Confirm with --yes.', exitCodes.usage)
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question('Make this change? [y/N] ')
  prompt.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new CliError('Nothing was changed.', exitCodes.refused)
}

function read(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null
}

/** Replaces the file as a whole, with its permissions. A file that is a link, as in a folder of dotfiles, stays one. */
function write(file: string, text: string | null): void {
  if (text === null) {
    rmSync(file, { force: true })
    return
  }
  mkdirSync(dirname(file), { recursive: true })
  const target = existsSync(file) ? realpathSync(file) : file
  const draft = `${target}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  if (existsSync(target)) chmodSync(draft, statSync(target).mode & 0o777)
  renameSync(draft, target)
}
