import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import type { Config } from '../../config/settings.ts'
import { lockDataDir } from '../../operate/data-lock.ts'
import type { RestoreOptions } from '../../operate/restore.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { createProgress } from '../progress.ts'
import { reportFailure } from '../run.ts'

type Flags = { url?: string; json?: boolean } & RestoreOptions

/** backup, restore: on the data folder itself, because a whole database is nothing to fetch with an API key. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup <file>')
    .description('copy the database to one file, as it is at one moment; a server may be running')
    .action((file: string, _options, command: Command) => reportFailure(() => runBackup(file, command)))
  program
    .command('restore <file>')
    .description('put a backup into a data folder that has no database, after checking all of it')
    .option('--sha256 <digest>', 'refuse any other file than the one that had this digest')
    .option('--without-vault-key', 'go on although the secrets in the backup do not open')
    .action((file: string, _options, command: Command) => reportFailure(() => runRestore(file, command)))
}

async function runBackup(file: string, command: Command): Promise<void> {
  const { url, json = false } = command.optsWithGlobals<Flags>()
  const config = localConfig('backup', url)
  const { backUp } = await import('../../operate/backup.ts')
  const progress = createProgress('pages copied')
  const made = await backUp(join(config.dataDir, 'colophon.db'), resolve(file), progress.at).finally(progress.end)
  createOutput(json).show(made, () =>
    [
      `${made.file}: ${made.bytes} bytes, ${made.tenants} tenants, checked`,
      `sha256 ${made.sha256}`,
      `THE VAULT KEY IS NOT IN IT. Keep ${vaultKeyOf(config)} in another place: without it, secrets are lost and tenants that have some cannot write.`,
    ].join('\n'),
  )
}

async function runRestore(file: string, command: Command): Promise<void> {
  const { url, json = false, sha256, withoutVaultKey } = command.optsWithGlobals<Flags>()
  const config = localConfig('restore', url)
  const { restore } = await import('../../operate/restore.ts')
  const lock = lockDataDir(config.dataDir)
  if (lock === null)
    throw new CliError('A server holds this data folder. Restore into an empty one.', exitCodes.unavailable)
  try {
    const restored = await restore(config, resolve(file), {
      ...(sha256 === undefined ? {} : { sha256 }),
      ...(withoutVaultKey ? { withoutVaultKey } : {}),
    })
    const { tenants, withoutSecrets } = restored
    createOutput(json).show(restored, () =>
      [
        `${restored.file}: ${tenants.length} tenants, every record and content verified`,
        ...tenants.map(({ tenantId, position }) => `  ${tenantId} at position ${position}`),
        ...withoutSecrets.map((tenantId) => `  ${tenantId} CANNOT WRITE: its secrets do not open with this vault key`),
        'What was forgotten after the backup was made is in it again: repeat those requests before you let anybody in.',
      ].join('\n'),
    )
  } finally {
    lock.release()
  }
}

/** Both commands work on files: which ones, and what to do where there are none. */
function localConfig(command: string, url: string | undefined): Config {
  if (url ?? process.env.COLOPHON_URL) {
    throw new CliError(
      `${command} works on the data folder itself, also while a server runs: call it on that machine, without --url and COLOPHON_URL.`,
      exitCodes.usage,
    )
  }
  const config = loadConfig(process.env)
  if (config.storage === 'sqlite') return config
  if (config.storage === 'memory') throw new CliError('Nothing is kept with COLOPHON_STORAGE=memory.', exitCodes.usage)
  const way =
    command === 'backup'
      ? 'pg_dump --format=custom --no-owner --file=colophon.dump "$COLOPHON_DATABASE_URL"'
      : 'pg_restore --no-owner --single-transaction --exit-on-error --dbname="$COLOPHON_DATABASE_URL" colophon.dump'
  throw new CliError(`The database is PostgreSQL, which has its own tool for this:\n  ${way}`, exitCodes.usage)
}

function vaultKeyOf(config: Config): string {
  return config.vaultKey === null ? join(config.dataDir, 'vault.key') : 'COLOPHON_VAULT_KEY'
}
