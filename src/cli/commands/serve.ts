import type { Command } from 'commander'
import { type Config, loadConfig, showConfig } from '../../config/config.ts'
import { createServer } from '../../serve.ts'
import { holdDataDir, holderOf } from '../data-lock.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { reportFailure } from '../run.ts'

/** The longest that open requests may take when the server is told to stop. */
const drainMs = 9_000

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
    .action(() => reportFailure(migrate))
}

async function showConfiguration(command: Command): Promise<void> {
  const shown = showConfig(loadConfig(process.env))
  const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
  const line = ([name, value]: [string, unknown]) => `${name}=${Array.isArray(value) ? value.join(',') : (value ?? '')}`
  createOutput(json).show(shown, () => Object.entries(shown).map(line).join('\n'))
}

async function migrate(): Promise<void> {
  const config = { ...loadConfig(process.env), logLevel: 'silent' } as const
  refuseHeldFolder(config)
  const server = await createServer({ config, makeFirstKey: false })
  await server.close()
  process.stdout.write('the database is up to date\n')
}

async function serve(): Promise<void> {
  const config = loadConfig(process.env)
  refuseHeldFolder(config)
  const { app, firstKey, close } = await createServer({ config, makeFirstKey: true })
  if (config.testSeams)
    app.log.warn('COLOPHON_TEST_SEAMS is on: this is for conformance runs only, never for production.')
  await app.listen({ host: config.host, port: config.port })
  const address = app.server.address()
  const port = address !== null && typeof address === 'object' ? address.port : config.port
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  const release = config.storage === 'sqlite' ? holdDataDir(config.dataDir, url) : () => {}
  if (firstKey !== null) process.stdout.write(`colophon api key for tenant default: ${firstKey}\n`)
  process.stdout.write(`colophon listening on ${url}\n`)
  stopOnSignal(async () => {
    // Streams end at once; ordinary requests get time to finish.
    const overdue = setTimeout(() => app.server.closeAllConnections(), drainMs)
    await close()
    clearTimeout(overdue)
    release()
  })
}

function refuseHeldFolder(config: Config): void {
  const holder = config.storage === 'sqlite' ? holderOf(config.dataDir) : null
  if (!holder) return
  const message = `another server (process ${holder.pid}) holds this data folder, at ${holder.url}.`
  throw new CliError(message, exitCodes.unavailable)
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
}
