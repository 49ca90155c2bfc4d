import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { distributeDatabase, pendingMigrationsOf, type TablePlaces, tablePlacesOf } from '../../operate/migrations.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { reportFailure } from '../report-failure.ts'
import { refuseLockedFolder } from '../serve.ts'

type Options = { readonly distribute?: true; readonly status?: true; readonly json?: true }

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('apply pending migrations to the database')
    .option(
      '--distribute',
      'also distribute the tables by tenant over the nodes of a PostgreSQL with the extension Citus',
    )
    .option('--status', 'only show how many migrations are pending, and which tables are distributed')
    .action((_options, command: Command) => reportFailure(() => migrate(command.optsWithGlobals<Options>())))
}

async function migrate(options: Options): Promise<void> {
  const config = { ...loadConfig(process.env), logLevel: 'silent' } as const
  if (options.distribute && options.status)
    throw new CliError('--status changes nothing: leave --distribute out.', exitCodes.usage)
  const { show } = createOutput(options.json === true)
  if (options.status) {
    const pending = await pendingMigrationsOf(config)
    const tables = await tablePlacesOf(config)
    const count = pending === 1 ? '1 migration is pending' : `${pending} migrations are pending`
    return show({ pending, ...tables }, () => [count, ...describe(tables)].join('\n'))
  }
  if (options.distribute) {
    const tables = await distribute(config)
    return show({ migrated: true, ...tables }, () => ['the database is up to date', ...describe(tables)].join('\n'))
  }
  refuseLockedFolder(config)
  // Loaded on use: the server is most of the program, and other commands start faster without it.
  const { createServer } = await import('../../server/serve.ts')
  const server = await createServer({ config })
  await server.close()
  show({ migrated: true }, () => 'the database is up to date')
}

async function distribute(config: Config): Promise<TablePlaces> {
  if (config.storage !== 'postgres')
    throw new CliError('--distribute is for PostgreSQL: set COLOPHON_DATABASE_URL.', exitCodes.usage)
  if (config.databaseRls === true)
    throw new CliError('--distribute removes row-level security: set COLOPHON_DATABASE_RLS=off.', exitCodes.usage)
  return distributeDatabase(config, Date.now())
}

function describe({ distributed, onCoordinator }: TablePlaces): string[] {
  if (distributed.length === 0) return ['no table is distributed']
  return [`distributed by tenant: ${distributed.join(', ')}`, `on the coordinator: ${onCoordinator.join(', ')}`]
}
