import type { Command } from 'commander'
import { action } from '../action.ts'
import { table } from '../output.ts'
import { readFileOrInput } from '../text-input.ts'

/** workspace list, get, put, delete. */
export function addWorkspaceCommands(program: Command): void {
  const workspace = program
    .command('workspace')
    .description('files that agents and people share; runs see them as they were when the run began')
  workspace
    .command('list')
    .description('list the files')
    .option('--prefix <prefix>', 'only paths that begin with this')
    .action(
      action<{ prefix?: string }>(async ({ client, output }, _args, { prefix }) => {
        const answer = await client.workspace.list({ prefix })
        const rows = answer.files.map(({ path, version, updatedAt }) => [path, String(version), updatedAt])
        output.show(answer, () => table(['path', 'version', 'changed'], rows))
      }),
    )
  workspace
    .command('get <path>')
    .description('print a file')
    .option('--at-version <number>', 'an earlier version')
    .action(
      action<{ atVersion?: number }>(async ({ client, output }, [path = ''], { atVersion }) => {
        const file = await client.workspace.get(path, { version: atVersion })
        output.show(file, () => file.content)
      }),
    )
  workspace
    .command('put <path> [file]')
    .description('create or replace a file, from a local file or from standard input')
    .option('--type <type>', 'the media type; text/markdown by default')
    .option('--if-match <etag>', 'only if the file still has this etag')
    .action(
      action<{ type?: string; ifMatch?: string }>(async ({ client, output }, [path = '', from = '-'], options) => {
        const draft = { content: await readFileOrInput(from), contentType: options.type }
        const file = await client.workspace.put(path, draft, { ifMatch: options.ifMatch })
        output.show(file, () => `${file.path} version ${file.version}, etag ${file.etag}`)
      }),
    )
  workspace
    .command('delete <path>')
    .description('delete a file')
    .option('--if-match <etag>', 'only if the file still has this etag')
    .action(
      action<{ ifMatch?: string }>(async ({ client, output }, [path = ''], { ifMatch }) => {
        await client.workspace.delete(path, { ifMatch })
        output.show({ path, deleted: true }, () => 'deleted')
      }),
    )
}
