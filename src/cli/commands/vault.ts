import type { Command } from 'commander'
import { loadConfig } from '../../config/config.ts'
import { holderOf } from '../../operate/data-lock.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { reportFailure } from '../run.ts'

export function addVaultCommands(program: Command): void {
  program
    .command('vault')
    .description('the key that encrypts secrets at rest')
    .command('rotate')
    .description('wrap all data keys with a new key; with COLOPHON_VAULT_KEY set, the new one comes on standard input')
    .action(() => reportFailure(rotate))
}

/** Safe to run again after a crash: what is wrapped already opens with either key. */
async function rotate(): Promise<void> {
  const config = loadConfig(process.env)
  const holder = config.storage === 'sqlite' ? holderOf(config.dataDir) : null
  if (holder) throw new CliError('A server holds this data folder. Stop it first, then rotate.', exitCodes.unavailable)
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
  const then = config.vaultKey === null ? '' : ' Set COLOPHON_VAULT_KEY to the new key before the next start.'
  process.stdout.write(`${wrapped} data keys are wrapped with the new key.${then}\n`)
}

async function readNewKey(): Promise<string> {
  let text = ''
  if (!process.stdin.isTTY) for await (const chunk of process.stdin) text += String(chunk)
  if (Buffer.from(text.trim(), 'base64').length === 32) return text.trim()
  throw new CliError('Pipe the new key in: 32 bytes in base64, such as from: openssl rand -base64 32', exitCodes.usage)
}
