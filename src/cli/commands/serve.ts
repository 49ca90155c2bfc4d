import type { Command } from 'commander'
import { loadConfig, showConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { holderOf, lockDataDir } from '../../operate/data-lock.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput, type Output } from '../output.ts'
import { reportFailure } from '../run.ts'

const parentLookMs = 500

/** serve, config show, migrate. */
export function addServeCommands(program: Command): void {
  program
    .command('serve')
    .description('run the server')
    .action(() => reportFailure(serve))
  program
    .command('config')
    .description('the configuration')
    .command('show')
    .description('what is in force, secrets masked')
    .action((_options, command: Command) => reportFailure(() => showConfiguration(command)))
  program
    .command('migrate')
    .description('bring the database up to date')
    .action((_options, command: Command) => reportFailure(() => migrate(command)))
}

async function showConfiguration(command: Command): Promise<void> {
  const shown = showConfig(loadConfig(process.env))
  const line = ([name, value]: [string, unknown]) => `${name}=${Array.isArray(value) ? value.join(',') : (value ?? '')}`
  outputOf(command).show(shown, () => Object.entries(shown).map(line).join('\n'))
}

function outputOf(command: Command): Output {
  return createOutput(command.optsWithGlobals<{ json?: boolean }>().json === true)
}

async function migrate(command: Command): Promise<void> {
  const config = { ...loadConfig(process.env), logLevel: 'silent' } as const
  refuseHeldFolder(config)
  const [{ createServer }] = await loadServer()
  const server = await createServer({ config })
  await server.close()
  outputOf(command).show({ migrated: true }, () => 'the database is up to date')
}

/** Loaded on use: it is most of the program, and other commands start without it. */
async function loadServer() {
  return Promise.all([import('../../server/serve.ts'), import('../../server/listen.ts')])
}

async function serve(): Promise<void> {
  const config = loadConfig(process.env)
  const lock = config.storage === 'sqlite' ? lockDataDir(config.dataDir) : undefined
  if (lock === null) refuseHeldFolder(config)
  const [{ createServer }, { drain, listen }] = await loadServer()
  const server = await createServer({ config }).catch((error) => {
    lock?.release()
    throw error
  })
  const stop = async () => {
    await drain(server)
    lock?.release()
  }
  // Before it says that it listens: whoever waits for that line may stop it at once.
  stopOnSignal(stop)
  if (config.testSeams)
    server.app.log.warn('COLOPHON_TEST_SEAMS is on: this is for conformance runs only, never for production.')
  try {
    const { url, firstKey } = await listen(server, config, (url) => lock?.tellUrl(url))
    if (firstKey !== null) process.stdout.write(`colophon api key for tenant default: ${firstKey}\n`)
    process.stdout.write(`colophon listening on ${url}\n`)
  } catch (error) {
    await stop()
    throw error
  }
}

function refuseHeldFolder(config: Config): void {
  const holder = config.storage === 'sqlite' ? holderOf(config.dataDir) : null
  if (!holder) return
  throw new CliError(`another server holds this data folder, at ${holder.url}.`, exitCodes.unavailable)
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = () => {
    if (stopping) return
    stopping = true
    reportFailure(stop).then(() => process.exit())
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  if (process.env.npm_lifecycle_event === 'npx') onParentGone(onSignal)
}

/** npx starts a program through a shell. Who ends npx ends the shell with it, but not the program, which would stay unseen. */
function onParentGone(onGone: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && onGone(), parentLookMs).unref()
}
