import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { lockDataDir } from '../../operate/data-lock.ts'
import type { Restored, RestoreOptions } from '../../operate/restore.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { createProgressBar } from '../progress.ts'
import { reportFailure } from '../report-failure.ts'

type Flags = { url?: string; json?: boolean } & RestoreOptions

/** backup, restore. They work on the data folder itself: an API key must not give access to a whole database. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('write a consistent copy of the database to one file; works while a server is running')
    .action((file: string, _options, command: Command) => reportFailure(() => runBackup(file, command)))
  program
    .command('restore [file]')
    .description(
      'verify a backup and restore it into a data folder without a database; on PostgreSQL, without a file, complete what pg_restore has restored',
    )
    .option('--sha256 <digest>', 'refuse the file if it has another digest')
    .option('--without-vault-key', 'continue although the vault key does not decrypt the secrets in the backup')
    .action((file: string | undefined, _options, command: Command) => reportFailure(() => runRestore(file, command)))
}

async function runBackup(file: string, command: Command): Promise<void> {
  const { url, json = false } = command.optsWithGlobals<Flags>()
  const config = localConfig('backup', url)
  const { backUp } = await import('../../operate/backup.ts')
  const progress = createProgressBar('pages copied')
  const made = await backUp(join(config.dataDir, 'colophon.db'), resolve(file), progress.at).finally(progress.end)
  createOutput(json).show(made, () =>
    [
      `${made.file}: ${made.bytes} bytes, ${made.tenants} tenants, verified`,
      `sha256 ${made.sha256}`,
      `THE BACKUP DOES NOT CONTAIN THE VAULT KEY. Store ${vaultKeyOf(config)} elsewhere: without it, secrets are lost and tenants with secrets cannot write.`,
    ].join('\n'),
  )
}

async function runRestore(file: string | undefined, command: Command): Promise<void> {
  const flags = command.optsWithGlobals<Flags>()
  const { url, sha256, withoutVaultKey } = flags
  if (file === undefined && !(url ?? process.env.COLOPHON_URL)) {
    const config = loadConfig(process.env)
    if (config.storage === 'postgres') return completePostgres(config, flags)
  }
  const config = localConfig('restore', url)
  if (file === undefined) throw new CliError('Name the file of the backup.', exitCodes.usage)
  if (!existsSync(file)) throw new CliError(`There is no file ${resolve(file)}.`, exitCodes.notFound)
  const { restore } = await import('../../operate/restore.ts')
  const lock = lockDataDir(config.dataDir)
  if (lock === null)
    throw new CliError(
      `A server uses the data folder ${config.dataDir}. Restore into an empty one.`,
      exitCodes.unavailable,
    )
  try {
    const restored = await restore(config, resolve(file), {
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(withoutVaultKey ? { withoutVaultKey } : {}),
    })
    showRestored(restored, restored.file, flags)
  } finally {
    lock.release()
  }
}

/** After `pg_restore`, and before a server starts. */
async function completePostgres(config: Config, flags: Flags): Promise<void> {
  const { completeRestore } = await import('../../operate/restore.ts')
  const { withoutVaultKey } = flags
  showRestored(await completeRestore(config, withoutVaultKey ? { withoutVaultKey } : {}), 'the database', flags)
}

function showRestored(restored: Omit<Restored, 'file'>, place: string, { json = false }: Flags): void {
  const { tenants, withoutSecrets } = restored
  createOutput(json).show(restored, () =>
    [
      `${place}: ${tenants.length} tenants, every record and content verified`,
      ...tenants.map(({ tenantId, position }) => `  ${tenantId} at position ${position}`),
      ...withoutSecrets.map((tenantId) => `  ${tenantId} CANNOT WRITE: this vault key does not decrypt its secrets`),
      'Browsers have to log in to the console again.',
      'Data that was erased after the backup was made is restored. Repeat those erasures before you give clients access.',
    ].join('\n'),
  )
}

/** The configuration of the data folder. Other storage has no files: the error names the tool to use instead. */
function localConfig(command: string, url: string | undefined): Config {
  if (url ?? process.env.COLOPHON_URL) {
    throw new CliError(
      `${command} works on the data folder itself, also while a server runs. Run it on that machine, without --url and COLOPHON_URL.`,
      exitCodes.usage,
    )
  }
  const config = loadConfig(process.env)
  if (config.storage === 'sqlite') return config
  if (config.storage === 'memory') throw new CliError('COLOPHON_STORAGE=memory keeps no data on disk.', exitCodes.usage)
  const tool =
    command === 'backup'
      ? 'pg_dump --format=custom --no-owner --file=colophon.dump "$COLOPHON_DATABASE_URL"'
      : 'pg_restore --no-owner --single-transaction --exit-on-error --dbname="$COLOPHON_DATABASE_URL" colophon.dump\n  colophon restore'
  throw new CliError(`The database is PostgreSQL. Use its own tool:\n  ${tool}`, exitCodes.usage)
}

function vaultKeyOf(config: Config): string {
  return config.vaultKey === null ? join(config.dataDir, 'vault.key') : 'COLOPHON_VAULT_KEY'
}
