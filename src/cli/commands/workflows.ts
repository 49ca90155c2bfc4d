import type { Command } from 'commander'
import { readJsonObject } from '../json-input.ts'
import { table } from '../output.ts'
import { action } from '../run.ts'

const host = '/v1/host/colophon/workflows'

type Page = { workflows: { id: string; version: number; name: string }[]; cursor?: string }
type Definition = {
  name: string
  version: string
  nodes: { id: string; typeId: string }[]
  edges: { sourceNodeId: string; targetNodeId: string }[]
}

/** workflows list, show, add. */
export function addWorkflowCommands(program: Command): void {
  const workflows = program.command('workflows').description('workflows of the tenant')
  workflows
    .command('list')
    .option('-n, --limit <count>', 'how many', '100')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<{ limit: string; cursor?: string }>(async ({ caller, output }, _args, options) => {
        const page = (await caller.call('GET', `${host}?${new URLSearchParams(options)}`)) as Page
        output.show(page, () => {
          const rows = page.workflows.map(({ id, version, name }) => [id, String(version), name])
          const more = page.cursor ? [`more: --cursor ${page.cursor}`] : []
          return [table(['workflow', 'version', 'name'], rows), ...more].join('\n')
        })
      }),
    )
  workflows
    .command('show <id>')
    .description('the nodes of the newest version; --json prints the whole document')
    .action(
      action(async ({ caller, output }, [id = '']) => {
        const definition = (await caller.call('GET', `/v1/workflows/${encodeURIComponent(id)}`)) as Definition
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
      action(async ({ caller, output }, [file = '']) => {
        const stored = (await caller.call('POST', host, readJsonObject(file))) as { id: string; version: number }
        output.show(stored, () => `${stored.id} is at version ${stored.version}`)
      }),
    )
}
