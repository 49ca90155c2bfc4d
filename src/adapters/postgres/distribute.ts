import { openPool, type Pooler } from './connection.ts'
import { type DistributionState, distributeTables, readDistribution } from './distribution.ts'
import { toStorageError } from './errors.ts'
import { migratePostgres } from './migrate.ts'
import { secureRows } from './row-security.ts'
import { withPlace } from './start-error.ts'

/** Migrates a database and distributes its tables by tenant. Policies of rows are removed: they work on one PostgreSQL only. */
export function distributePostgres(url: string, pooler: Pooler, now: number): Promise<DistributionState> {
  return withPool(url, pooler, async (pool) => {
    const { hasExtension } = await readDistribution(pool)
    if (hasExtension) {
      await migratePostgres(pool, now)
      await secureRows(pool, false)
    }
    return distributeTables(pool)
  })
}

/** Which tables are distributed, without changing anything. */
export function postgresDistribution(url: string, pooler: Pooler): Promise<DistributionState> {
  return withPool(url, pooler, readDistribution)
}

async function withPool<T>(
  url: string,
  pooler: Pooler,
  work: (pool: ReturnType<typeof openPool>) => Promise<T>,
): Promise<T> {
  const pool = openPool(url, 1, pooler)
  try {
    return await work(pool)
  } catch (error) {
    throw withPlace(toStorageError(error), url)
  } finally {
    await pool.end()
  }
}
