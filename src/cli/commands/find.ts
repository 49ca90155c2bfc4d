import type { Command } from 'commander'
import { action } from '../action.ts'
import { pageTable, printable } from '../output.ts'

/** find: everything of the tenant that a text names. */
export function addFindCommand(program: Command): void {
  program
    .command('find <text>')
    .description(
      'find memories, subjects, source events, claims and runs by words, or by the beginning of a name or an id',
    )
    .option('-n, --limit <count>', 'memories per page', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit?: number; cursor?: string }>(async ({ client, output }, [text = ''], { limit, cursor }) => {
        const found = await client.memory.searchAll(text, { limit: Number(limit), cursor })
        const { memories = [], refs = [], claims = [], sources = [], runs = [] } = found
        const rows = [
          ...refs.map(({ memoryRef, entries }) => ['ref', memoryRef, `${entries} entries`]),
          ...claims.map(({ id, subject, claimKey, status }) => [
            'claim',
            id,
            `${subject}: ${claimKey ?? ''} (${status})`,
          ]),
          ...sources.map(({ id, service, eventId }) => ['source', id, `${service ?? ''} ${eventId ?? ''}`]),
          ...runs.map(({ runId, workflowId, status }) => ['run', runId, `${workflowId} (${status})`]),
          ...memories.map(({ id, content }) => ['memory', id, content]),
        ].map((row) => row.map((cell) => printable(cell).slice(0, 80)))
        output.show(found, () => pageTable(['kind', 'id', 'about'], rows, found.cursor))
      }),
    )
}
