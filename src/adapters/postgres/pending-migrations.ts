import { pendingMigrations } from '../sql/migrations.ts'
import { openPool, type Pooler } from './connection.ts'
import { toStorageError } from './errors.ts'
import { postgresMigrations } from './migrate.ts'
import { withPlace } from './start-error.ts'

/** How many migrations are pending, without changing anything. Fails as opening would. */
export async function pendingPostgresMigrations(url: string, pooler: Pooler): Promise<number> {
  const pool = openPool(url, 1, pooler)
  try {
    const { rows } = await pool.query("select to_regclass('schema_migration') is not null as there")
    const applied = rows[0]?.there
      ? (await pool.query('select number, name, checksum from schema_migration order by number')).rows
      : []
    return pendingMigrations(postgresMigrations, applied as Parameters<typeof pendingMigrations>[1]).length
  } catch (error) {
    throw withPlace(toStorageError(error), url)
  } finally {
    await pool.end()
  }
}
