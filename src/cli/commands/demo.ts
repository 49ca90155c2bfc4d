import type { Command } from 'commander'
import { type Client, isClientError } from '../../client/index.ts'
import { loadConfig } from '../../config/config.ts'
import { scopes } from '../../core/access/scopes.ts'
import type { GlobalOptions } from '../action.ts'
import { withClient } from '../connection.ts'
import { type DemoClock, runningClock, SimulatedClock } from '../demo/clock.ts'
import { createDemoData, type DemoResult, startOfWeek } from '../demo/create-data.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { reportFailure } from '../report-failure.ts'
import { chooseServer } from '../server-choice.ts'

type Flags = GlobalOptions & { force?: true }
type Result = DemoResult & { readonly tenant: string | null; readonly key?: string | undefined }

/** Fills a tenant with sample data for every screen of the console and every group of commands. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('fill a tenant with sample data: one week of a small travel agency')
    .option('--force', 'also if the tenant is not empty')
    .action((_options, command: Command) => reportFailure(() => demo(program, command.optsWithGlobals<Flags>())))
}

async function demo(program: Command, flags: Flags): Promise<void> {
  const { tenant, json = false, force } = flags
  const server = chooseServer(flags)
  const output = createOutput(json)
  if (server !== null) {
    const played = await withClient(server, (client) => fill(client, runningClock, force === true))
    return output.show({ tenant: null, ...played }, () =>
      describe({ tenant: null, ...played }, server.url.replace(/\/$/, '')),
    )
  }
  const { storage, port } = loadConfig(process.env)
  if (storage === 'memory')
    throw new CliError('COLOPHON_STORAGE=memory keeps no data on disk. Start a server and use --url.', exitCodes.usage)
  const wanted = program.getOptionValueSource('tenant') === 'cli' && tenant ? tenant : 'demo'
  const simulated = new SimulatedClock()
  const firstKey = await makeTenant(wanted, simulated)
  // The instants of a tenant never go back, so only a new one gets a week of its own.
  const clock = firstKey === undefined ? undefined : simulated
  await withClient({ tenant: wanted, clock }, async (client) => {
    const played = await fill(client, clock ?? runningClock, force === true)
    const result = { tenant: wanted, key: firstKey ?? (await newKey(client)), ...played }
    output.show(result, () => describe(result, null, port))
  })
}

/** The first key of the new tenant, which is created at the start of the week; undefined if the tenant existed. */
async function makeTenant(id: string, clock: SimulatedClock): Promise<string | undefined> {
  return withClient({ operator: true, creates: true, clock }, async (client) => {
    try {
      // Before the clock is moved: migrations of a new database are recorded with the time of the machine.
      await client.tenants.list({ limit: 1 })
      clock.moveTo(startOfWeek(Date.now()))
      return (await client.tenants.create(id)).key.key
    } catch (error) {
      if (isClientError(error, 'already_exists')) return undefined
      throw error
    }
  })
}

async function newKey(client: Client): Promise<string | undefined> {
  return (await client.keys.create({ name: 'demo', scopes: [...scopes] })).key
}

async function fill(client: Client, clock: DemoClock, force: boolean): Promise<DemoResult> {
  const stats = await client.stats()
  const isEmpty = stats.entries === 0 && stats.sourceEvents === 0 && Object.keys(stats.runs).length === 0
  if (!isEmpty && !force)
    throw new CliError(
      'The tenant is not empty. Use another tenant, or add to this one with --force.',
      exitCodes.refused,
    )
  return createDemoData(client, clock, Date.now(), (day) => {
    if (process.stderr.isTTY) process.stderr.write(`day ${day} of the week …\n`)
  })
}

function describe({ tenant, key, ...played }: Result, url: string | null, port = 0): string {
  const at = tenant === null ? '' : ` --tenant ${tenant}`
  return [
    `${played.people} people, ${played.tellings} statements about them, ${played.contested} contested claims, ${played.runs} runs.`,
    ...(key === undefined ? [] : [`key of tenant ${tenant} (shown once): ${key}`]),
    ...(url === null
      ? []
      : ['All of it was recorded now. For a week of history, stop the server and run colophon demo without --url.']),
    '',
    'Next steps:',
    url === null
      ? `  colophon serve, then open http://127.0.0.1:${port}/ with that key`
      : `  open ${url} with your key`,
    `  colophon${at} memories list ada`,
    `  colophon${at} claims list --contested`,
    `  colophon${at} trace ${played.correctedMemory}`,
    `  colophon${at} runs show ${played.waitingRun}`,
    `  colophon${at} runs diff ${played.replayedRun} ${played.replay}`,
    `  colophon${at} forget list`,
    `  colophon${at} audit verify --contents`,
  ].join('\n')
}
