import { join } from 'node:path'
import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import { lockDataDir } from '../../operate/data-lock.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput } from '../output.ts'
import { createProgressBar } from '../progress.ts'
import { reportFailure } from '../report-failure.ts'

/** copy: all tenants of the data folder to PostgreSQL. */
export function addCopyCommand(program: Command): void {
  program
    .command('copy')
    .description('copy the SQLite database of the data folder to an empty PostgreSQL database, and verify it there')
    .requiredOption('--to <url>', 'the URL of the PostgreSQL database: postgres://…')
    .action((_options: unknown, command: Command) => reportFailure(() => runCopy(command)))
}

async function runCopy(command: Command): Promise<void> {
  const { url, to, json = false } = command.optsWithGlobals<{ url?: string; to: string; json?: boolean }>()
  if (url ?? process.env.COLOPHON_URL) {
    throw new CliError('copy works on the data folder itself. Run it without --url and COLOPHON_URL.', exitCodes.usage)
  }
  const config = loadConfig(process.env)
  if (config.storage !== 'sqlite') {
    throw new CliError(
      'copy reads the SQLite database of the data folder. Unset COLOPHON_DATABASE_URL.',
      exitCodes.usage,
    )
  }
  // The copy would miss what a server writes after it began.
  const lock = lockDataDir(config.dataDir)
  if (lock === null)
    throw new CliError(`A server uses the data folder ${config.dataDir}. Stop it first.`, exitCodes.unavailable)
  const { copyToPostgres } = await import('../../operate/copy.ts')
  const progress = createProgressBar('copied')
  try {
    const copied = await copyToPostgres(join(config.dataDir, 'colophon.db'), to, progress.at)
    progress.end()
    const rows = Object.values(copied.tables).reduce((sum, count) => sum + count, 0)
    createOutput(json).show(copied, () =>
      [
        `${rows} rows of ${Object.keys(copied.tables).length} tables copied, every record and content verified`,
        ...copied.tenants.map(({ tenantId, position }) => `  ${tenantId} at position ${position}`),
        'Servers on PostgreSQL need the same vault key: give it as COLOPHON_VAULT_KEY, or copy the file vault.key.',
      ].join('\n'),
    )
  } finally {
    progress.end()
    lock.release()
  }
}
