import type { Command } from 'commander'
import { action } from '../action.ts'
import { readJsonObject } from '../json-input.ts'
import { pageTable, table } from '../output.ts'

/** workflows list, show, add. */
export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('workflows of the tenant')
  workflows
    .command('list')
    .description('list workflows')
    .option('-n, --limit <count>', 'items per page', '100')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit: number; cursor?: string }>(async ({ client, output }, _args, query) => {
        const page = await client.workflows.list(query)
        output.show(page, () => {
          const rows = page.workflows.map(({ id, version, name }) => [id, String(version), name])
          return pageTable(['workflow', 'version', 'name'], rows, page.cursor)
        })
      }),
    )
  workflows
    .command('show <id>')
    .description('show the nodes of the newest version; --json prints the whole document')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const definition = await client.workflows.get(id)
        output.show(definition, () => {
          const sourcesOf = (nodeId: string) =>
            definition.edges.flatMap((edge) => (edge.targetNodeId === nodeId ? [edge.sourceNodeId] : []))
          const rows = definition.nodes.map((node) => [node.id, node.typeId, sourcesOf(node.id).join(', ')])
          return table(['node', 'type', 'after'], rows)
        })
      }),
    )
  workflows
    .command('add <file>')
    .description('register a workflow from its JSON document; a changed document becomes the next version')
    .action(
      action(async ({ client, output }, [file = '']) => {
        const stored = await client.workflows.put(readJsonObject(file))
        output.show(stored, () => `${stored.id} is at version ${stored.version}`)
      }),
    )
}
