import { join } from 'node:path'
import type { DistributionState } from '../adapters/postgres/distribution.ts'
import type { Config } from '../config/settings.ts'

/** Where the tables of a database are. Both lists are empty for one that is not distributed. */
export type TablePlaces = { readonly distributed: readonly string[]; readonly onCoordinator: readonly string[] }

const oneDatabase: TablePlaces = { distributed: [], onCoordinator: [] }

/** How many migrations are pending, without changing anything. Fails as opening would. */
export async function pendingMigrationsOf(config: Config): Promise<number> {
  if (config.storage === 'postgres') {
    const postgres = await import('../adapters/postgres/pending-migrations.ts')
    return postgres.pendingPostgresMigrations(config.databaseUrl ?? '', config.databasePooler)
  }
  const sqlite = await import('../adapters/sqlite/pending-migrations.ts')
  return sqlite.pendingSqliteMigrations(join(config.dataDir, 'colophon.db'))
}

export async function tablePlacesOf(config: Config): Promise<TablePlaces> {
  if (config.storage !== 'postgres') return oneDatabase
  const { postgresDistribution } = await import('../adapters/postgres/distribute.ts')
  return toPlaces(await postgresDistribution(config.databaseUrl ?? '', config.databasePooler))
}

/** Migrates a PostgreSQL database and distributes its tables by tenant. */
export async function distributeDatabase(config: Config, now: number): Promise<TablePlaces> {
  const { distributePostgres } = await import('../adapters/postgres/distribute.ts')
  return toPlaces(await distributePostgres(config.databaseUrl ?? '', config.databasePooler, now))
}

function toPlaces({ tables }: DistributionState): TablePlaces {
  const isDistributed = ({ kind }: (typeof tables)[number]) => kind === 'distributed'
  const distributed = tables.filter(isDistributed).map(({ name }) => name)
  if (distributed.length === 0) return oneDatabase
  return { distributed, onCoordinator: tables.filter((table) => !isDistributed(table)).map(({ name }) => name) }
}
