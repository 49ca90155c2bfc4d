import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSystem } from '../adapters/system/node.ts'
import { opensVault } from '../app/redaction/open-vault.ts'
import { verifyTenants } from '../app/verify/verify.ts'
import type { Config } from '../config/settings.ts'
import { ColophonError } from '../core/errors.ts'
import { composeEngine, openStorage } from '../open.ts'
import { checkDatabaseFile, digestOf, flush } from './backup.ts'
import { findVault } from './vault-key.ts'

export type RestoreOptions = {
  /** What the backup was when it was made; another file is refused. */
  readonly sha256?: string
  /** Go on although the secrets of the backup do not open. */
  readonly withoutVaultKey?: boolean
}

export type Restored = {
  readonly file: string
  readonly tenants: readonly { readonly tenantId: string; readonly position: number }[]
  /** Tenants whose secrets do not open: they can be read, but not written. */
  readonly withoutSecrets: readonly string[]
}

const databaseName = 'colophon.db'

/**
 * Puts a backup into a data folder that has no database yet. Everything is checked on a copy beside it: the file itself,
 * its schema, every record of the audit, every content, and whether the vault opens. Only then does the copy get the name
 * under which a server finds it, so a restore that fails leaves nothing that could be started.
 */
export async function restore(config: Config, file: string, options: RestoreOptions = {}): Promise<Restored> {
  const target = join(config.dataDir, databaseName)
  if (!existsSync(file)) throw new ColophonError('not_found', 'There is no such file.')
  for (const name of [target, `${target}-wal`]) {
    if (existsSync(name)) throw new ColophonError('already_exists', 'The data folder has a database already.')
  }
  if (options.sha256 !== undefined && (await digestOf(file)).sha256 !== options.sha256.toLowerCase()) {
    throw new ColophonError('storage_corrupt', 'The file is not the one that this digest was made of.')
  }
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const staging = `${target}.restoring`
  removeDatabase(staging)
  try {
    copyFileSync(file, staging)
    checkDatabaseFile(staging)
    const restored = await checkStored(config, staging, options)
    // Closing the store took its log in; nothing is beside the file any more.
    flush(staging)
    renameSync(staging, target)
    flush(config.dataDir)
    return { file: target, ...restored }
  } catch (error) {
    removeDatabase(staging)
    throw error
  }
}

async function checkStored(config: Config, path: string, { withoutVaultKey = false }: RestoreOptions) {
  const storage = await openStorage({ path }, Date.now)
  const { engine, close } = composeEngine(storage, nodeSystem(), 'restore', findVault(config))
  const withoutSecrets: string[] = []
  try {
    const tenants = await verifyTenants(engine)
    for (const { tenantId } of tenants) {
      if (!(await opensVault(engine, tenantId))) withoutSecrets.push(tenantId)
    }
    if (withoutSecrets.length > 0 && !withoutVaultKey) {
      throw new ColophonError(
        'vault_unavailable',
        `The vault key that is here does not open the secrets of ${withoutSecrets.length} tenants.`,
        { details: { tenants: withoutSecrets.length } },
      )
    }
    return { tenants, withoutSecrets }
  } finally {
    await close()
  }
}

function removeDatabase(file: string): void {
  for (const name of [file, `${file}-wal`, `${file}-shm`, `${file}-journal`]) rmSync(name, { force: true })
}
