import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSystem } from '../adapters/system/node-system.ts'
import { endAllSessions } from '../app/access/sessions.ts'
import { canOpenVault } from '../app/redaction/vault-access.ts'
import { verifyTenants } from '../app/verify/verify.ts'
import type { Config } from '../config/settings.ts'
import { ColophonError } from '../core/errors.ts'
import { composeEngine, openStorage } from '../open.ts'
import { checkDatabaseFile, digestOf, flush } from './backup.ts'
import { findVault } from './vault-key.ts'

/** Options of `restore`. */
export type RestoreOptions = {
  /** The SHA-256 of the backup when it was made; a file with another one is refused. */
  readonly sha256?: string
  /** Restores even if the secrets of the backup cannot be decrypted. */
  readonly withoutVaultKey?: boolean
}

/** The result of a restore. */
export type Restored = {
  readonly file: string
  readonly tenants: readonly { readonly tenantId: string; readonly position: number }[]
  /** Tenants whose secrets cannot be decrypted. They can be read, but not written. */
  readonly withoutSecrets: readonly string[]
}

const databaseName = 'colophon.db'

/**
 * Restores a backup into a data folder without a database. A copy of the file is checked first: the file itself, its schema, audit and
 * contents of every tenant, and the vault. Only then is the copy renamed to the database file, so a failed restore leaves no database.
 */
export async function restore(config: Config, file: string, options: RestoreOptions = {}): Promise<Restored> {
  const target = join(config.dataDir, databaseName)
  if (!existsSync(file)) throw new ColophonError('not_found', `There is no file ${file}.`)
  for (const name of [target, `${target}-wal`]) {
    if (existsSync(name))
      throw new ColophonError('already_exists', `The data folder ${config.dataDir} already has a database.`)
  }
  if (options.sha256 !== undefined && (await digestOf(file)).sha256 !== options.sha256.toLowerCase()) {
    throw new ColophonError('storage_corrupt', 'The SHA-256 of the file is not the given one.')
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const staging = `${target}.restoring`
  removeDatabase(staging)
  try {
    copyFileSync(file, staging)
    checkDatabaseFile(staging)
    const restored = await checkStored(config, { path: staging }, options)
    // Closing the storage merged the write-ahead log into the file.
    flush(staging)
    renameSync(staging, target)
    flush(config.dataDir)
    return { file: target, ...restored }
  } catch (error) {
    removeDatabase(staging)
    throw error
  }
}

/**
 * Completes a restore by the tools of PostgreSQL, before a server starts: the same checks on the restored database, and no session of a browser is
 * valid any more.
 */
export async function completeRestore(config: Config, options: RestoreOptions = {}): Promise<Omit<Restored, 'file'>> {
  return checkStored(config, { databaseUrl: config.databaseUrl ?? '' }, options)
}

async function checkStored(
  config: Config,
  place: { readonly path: string } | { readonly databaseUrl: string },
  { withoutVaultKey = false }: RestoreOptions,
) {
  const storage = await openStorage(place, Date.now, {
    pooler: config.databasePooler,
    rowSecurity: config.databaseRls,
  })
  // The records of a backup are as old as it is: nothing can be concluded about the clock.
  const { engine, close } = composeEngine(storage, nodeSystem(), 'restore', findVault(config), {}, {}, true)
  const withoutSecrets: string[] = []
  try {
    const tenants = await verifyTenants(engine)
    for (const { tenantId } of tenants) {
      if (!(await canOpenVault(engine, tenantId))) withoutSecrets.push(tenantId)
    }
    if (withoutSecrets.length > 0 && !withoutVaultKey) {
      throw new ColophonError(
        'vault_unavailable',
        `The vault key of this host cannot decrypt the secrets of ${withoutSecrets.length} tenants.`,
        { details: { tenants: withoutSecrets.length } },
      )
    }
    // A session that was ended after the backup must not be valid again.
    for (const { tenantId } of tenants)
      if (!withoutSecrets.includes(tenantId)) await endAllSessions(engine.tenant(tenantId))
    return { tenants, withoutSecrets }
  } finally {
    await close()
  }
}

function removeDatabase(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(name, { force: true })
}
