import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import { findLockHolder } from '../../operate/data-lock.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { reportFailure } from '../report-failure.ts'

/** vault rotate. */
export function addVaultCommands(program: Command): void {
  program
    .command('vault')
    .description('the vault key, which encrypts secrets at rest')
    .command('rotate')
    .description(
      'encrypt all data keys with a new vault key; if COLOPHON_VAULT_KEY is set, read the new key from standard input',
    )
    .action(() => reportFailure(rotate))
}

/** Safe to run again after a crash: until it is complete, both keys decrypt the data keys. */
async function rotate(): Promise<void> {
  const config = loadConfig(process.env)
  const holder = config.storage === 'sqlite' ? findLockHolder(config.dataDir) : null
  if (holder)
    throw new CliError(
      `A server uses the data folder ${config.dataDir}. Stop it first, then rotate.`,
      exitCodes.unavailable,
    )
  const { createServer } = await import('../../server/serve.ts')
  const { rewrapDataKey } = await import('../../app/redaction/vault.ts')
  const { finishRotation, prepareNextKey } = await import('../../operate/vault-key.ts')
  const given = config.vaultKey === null ? undefined : await readNewKey()
  const next = prepareNextKey(config, given)
  const server = await createServer({
    config: { ...config, logLevel: 'silent' },
    otherVaultKeys: [next],
  })
  let wrapped = 0
  try {
    let after: string | null = null
    for (;;) {
      const tenants = await server.engine.storage.tenants({ after, limit: 100 })
      for (const { tenantId } of tenants) if (await rewrapDataKey(server.engine.tenant(tenantId), next)) wrapped += 1
      after = tenants.at(-1)?.tenantId ?? null
      if (after === null) break
    }
  } finally {
    await server.close()
  }
  if (config.vaultKey === null) finishRotation(config)
  const nextStep = config.vaultKey === null ? '' : ' Set COLOPHON_VAULT_KEY to the new key before the next start.'
  process.stdout.write(`${wrapped} data keys are encrypted with the new vault key.${nextStep}\n`)
}

async function readNewKey(): Promise<string> {
  let text = ''
  if (!process.stdin.isTTY) for await (const chunk of process.stdin) text += String(chunk)
  if (Buffer.from(text.trim(), 'base64').length === 32) return text.trim()
  throw new CliError('Pipe in the new key, 32 bytes in base64, such as from: openssl rand -base64 32', exitCodes.usage)
}
