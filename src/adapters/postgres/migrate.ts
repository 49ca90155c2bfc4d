import type { Pool, PoolClient } from 'pg'
import { type AppliedMigration, type Migration, pendingMigrations, readMigrations } from '../sql/migrations.ts'
import { postgresLimits } from './connection.ts'
import {
  type DistributionState,
  distributeTables,
  distributionCalls,
  isDistributed,
  readDistribution,
} from './distribution.ts'
import { toStorageError } from './errors.ts'
import { splitCommands } from './split-commands.ts'

export const postgresMigrations: readonly Migration[] = readMigrations(new URL('./migrations/', import.meta.url))

/**
 * Commands that a migration lacks. It has landed, so they cannot be added to it: databases have its checksum. They run before it, in its
 * transaction.
 */
const commandsBefore: Readonly<Record<string, string>> = {
  '0015-tags-by-number': `
    -- It changes rows after it has dropped the key: without another identity, a publication of the table refuses that.
    alter table entry_tag replica identity full;
    -- Its numbers have no room for larger ones, which only an import of a file that was made by hand could have stored.
    alter table entry_tag add constraint version_or_ordinal_is_too_large check (ordinal < 1048575 and version <= 2147483647);
    alter table entry_tag drop constraint version_or_ordinal_is_too_large;`,
}

/**
 * Brings the schema up to date. A step's number is inserted first, in the transaction that makes the step: a process
 * that races for the same step waits there, then finds it done.
 */
export async function migratePostgres(
  pool: Pool,
  now: number,
  migrations: readonly Migration[] = postgresMigrations,
): Promise<void> {
  try {
    const client = await pool.connect()
    let hasChanged = false
    let state: DistributionState
    try {
      await createRegister(client)
      while (await applyNext(client, now, migrations)) hasChanged = true
      state = await readDistribution(client)
    } finally {
      client.release()
    }
    // Tables that a migration added are placed as the others are.
    if (isDistributed(state) && (hasChanged || distributionCalls(state).length > 0)) await distributeTables(pool)
  } catch (error) {
    throw toStorageError(error)
  }
}

async function applyNext(client: PoolClient, now: number, migrations: readonly Migration[]): Promise<boolean> {
  const [step] = pendingMigrations(migrations, await applied(client))
  if (!step) return false
  // A step over a large table takes as long as it takes, and so does waiting for the process that makes it.
  await client.query('begin; set local statement_timeout = 0; set local lock_timeout = 0')
  try {
    const claimed = await client.query(
      `insert into schema_migration (number, name, checksum, applied_at) values ($1, $2, $3, $4) on conflict do nothing`,
      [step.number, step.name, step.checksum, now],
    )
    // But it does not wait for ever for a table that another process uses: all later statements on it would wait too.
    await client.query(`set local lock_timeout = ${postgresLimits.lockTimeoutMs}`)
    if (claimed.rowCount === 1) await applyCommands(client, (commandsBefore[step.name] ?? '') + step.sql)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
  return true
}

/** One at a time, as a distributed database wants them. */
async function applyCommands(client: PoolClient, script: string): Promise<void> {
  const isOnSeveralNodes = isDistributed(await readDistribution(client))
  for (const command of splitCommands(script)) {
    const isLocal = isOnSeveralNodes && ofCoordinator.test(command)
    if (isLocal) await client.query('set local citus.enable_ddl_propagation = off')
    await client.query(command)
    if (isLocal) await client.query('set local citus.enable_ddl_propagation = on')
  }
}

/** A distributed table refuses these. They are set here, and then on the shards (`distributeTables`). */
const ofCoordinator = /^(?:--[^\n]*\n|\s)*alter\s+table\b[\s\S]*\bset\s+(?:statistics|storage)\b/i

/** `if not exists` still fails when two sessions create at the same instant; the loser only has to check again. */
async function createRegister(client: PoolClient): Promise<void> {
  const create = `create table if not exists schema_migration (
    number bigint not null primary key, name text not null, checksum text not null, applied_at bigint not null)`
  await client.query(create).catch(async (error: { code?: unknown }) => {
    // A role without the right to create tables can use a schema that is there.
    const isThere = error.code === '42501' && (await hasRegister(client))
    if (!isThere) await client.query(create)
  })
}

async function hasRegister(client: PoolClient): Promise<boolean> {
  return (await client.query("select to_regclass('schema_migration') is not null as there")).rows[0]?.there === true
}

async function applied(client: PoolClient): Promise<AppliedMigration[]> {
  const { rows } = await client.query('select number, name, checksum from schema_migration order by number')
  return rows as AppliedMigration[]
}
