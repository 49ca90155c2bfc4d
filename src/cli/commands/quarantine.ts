import type { Command } from 'commander'
import { action } from '../action.ts'
import { pageTable, printable } from '../output.ts'

/** quarantine list, release, reject. */
export function addQuarantineCommands(program: Command): void {
  const quarantine = program
    .command('quarantine')
    .description('memories below the trust floor: stored, but not returned until they are released')
  quarantine
    .command('list')
    .description('list the memories in quarantine')
    .option('-n, --limit <count>', 'items per page', '50')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit?: number; cursor?: string }>(async ({ client, output }, _args, query) => {
        const page = await client.quarantine.list(query)
        const rows = page.memories.map(({ createdAt, id, memoryRef, trust, content }) => [
          createdAt,
          id,
          memoryRef,
          trust,
          printable(content).slice(0, 80),
        ])
        output.show(page, () => pageTable(['created', 'id', 'ref', 'trust', 'content'], rows, page.cursor))
      }),
    )
  for (const [verb, description] of [
    ['release', 'release a memory: its next version is verified'],
    ['reject', 'reject a memory: it ends; in a claim, its content is withdrawn'],
  ] as const) {
    quarantine
      .command(`${verb} <id>`)
      .description(description)
      .requiredOption('--reason <text>', 'the reason of the decision')
      .action(
        action<{ reason: string }>(async ({ client, output }, [id = ''], { reason }) => {
          const answer = await client.quarantine[verb](id, { reason })
          output.show(answer, () => `${answer.id} is ${answer.decision}`)
        }),
      )
  }
}
