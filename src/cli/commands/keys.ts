import type { Command } from 'commander'
import type { NewKey } from '../../client/index.ts'
import { scopes } from '../../core/access/scopes.ts'
import { action } from '../action.ts'
import { pageTable } from '../output.ts'
import { promptForScopes } from '../prompt-for-scopes.ts'

/** keys list, create, revoke, rotate. */
export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description('API keys of the tenant')
  keys
    .command('list')
    .description('list keys, oldest first')
    .option('-n, --limit <count>', 'items per page', '100')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit: number; cursor?: string }>(async ({ client, output }, _args, query) => {
        const page = await client.keys.list(query)
        const rows = page.keys.map((key) => [
          key.id,
          key.name,
          key.status,
          key.expiresAt ?? 'never',
          key.lastUsedAt ?? 'never',
          key.reader ?? '',
          key.scopes.join(' '),
        ])
        output.show(page, () =>
          pageTable(['id', 'name', 'status', 'expires', 'last used', 'reader', 'scopes'], rows, page.cursor),
        )
      }),
    )
  keys
    .command('create <name>')
    .description(
      'create a key with at most the scopes and the lifetime of the calling key; --reader binds it to a reader',
    )
    .option('-s, --scope <scope...>', `all, or some of ${scopes.join(', ')}; without this, a terminal prompts for them`)
    .option('--expires-at <instant>', 'when the key expires')
    .action(
      action<{ scope?: string[]; expiresAt?: string }>(
        async ({ client, output }, [name = ''], { scope, expiresAt }) => {
          const named = scope ?? (await promptForScopes(process.stdin, process.stderr))
          const granted = named.includes('all') ? [...scopes] : named
          const made = await client.keys.create({ name, scopes: granted, expiresAt })
          output.show(made, () => describeKey(made))
        },
      ),
    )
  keys
    .command('revoke <id>')
    .description('revoke a key: requests with it are refused')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const key = await client.keys.revoke(id)
        output.show(key, () => `${key.id} is ${key.status}`)
      }),
    )
  keys
    .command('rotate <id>')
    .description('create a key with the same scopes, and end the old one')
    .option('--overlap-ms <ms>', 'how long the old key still works', '0')
    .action(
      action<{ overlapMs: number }>(async ({ client, output }, [id = ''], { overlapMs }) => {
        const made = await client.keys.rotate(id, { overlapMs })
        output.show(made, () => describeKey(made))
      }),
    )
}

function describeKey({ id, key }: NewKey): string {
  return `${id}\nkey (shown once): ${key}`
}
