import type { Command } from 'commander'
import type { Containment, ContainmentPreview, ContainmentWithAffected } from '../../client/index.ts'
import { action } from '../action.ts'
import { pageTable, table } from '../output.ts'

type ContainOptions = {
  keyId?: string
  writer?: string
  sourceEvent?: string
  run?: string
  agent?: string
  since?: string
  reason?: string
  dryRun?: true
}

/** contain, contain list, show, release. */
export function addContainCommands(program: Command): void {
  const contain = program
    .command('contain')
    .description('take everything out of memory that came from a compromised source or was derived from it')
    // Not --key: that is the API key of the call itself.
    .option('--key-id <id>', 'everything that this key wrote, stated, edited, pinned or deleted')
    .option('--writer <service>', 'everything that this source service stated')
    .option('--source-event <id>', 'everything from this source event')
    .option('--run <id>', 'everything that this run wrote or deleted')
    .option('--agent <id>', 'everything in the name of this agent')
    .option('--since <when>', 'only what came since this instant or position')
    .option('--reason <text>', 'the reason; it is kept')
    .option('--dry-run', 'only list what would be contained')
    .action(
      action<ContainOptions>(async ({ client, output }, _args, options) => {
        const { dryRun, keyId: key, writer, sourceEvent, run, agent, since, reason } = options
        const body = { key, writer, sourceEvent, run, agent, since, reason }
        if (dryRun) {
          const preview = await client.containments.dryRun(body)
          output.show(preview, () => describeAffected(preview).join('\n'))
          return
        }
        const applied = await client.containments.apply(body)
        output.show(applied, () => [describe(applied), ...describeAffected(applied)].join('\n'))
      }),
    )
  contain
    .command('list')
    .description('list containments, oldest first')
    .option('-n, --limit <count>', 'items per page', '50')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit?: number; cursor?: string }>(async ({ client, output }, _args, query) => {
        const page = await client.containments.list(query)
        const rows = page.containments.map(({ id, status, selector, at, counts }) => [
          id,
          status,
          `${selector.kind} ${selector.value}`,
          at,
          String(counts.entries),
        ])
        const head = ['containment', 'status', 'source', 'at', 'entries']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  contain
    .command('show <id>')
    .description('show one containment and what it affects')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ cursor?: string }>(async ({ client, output }, [id = ''], query) => {
        const found = await client.containments.get(id, query)
        output.show(found, () => [describe(found), ...describeAffected(found)].join('\n'))
      }),
    )
  contain
    .command('release <id>')
    .description('undo a containment: memory is as if nothing had been contained')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const released = await client.containments.release(id)
        output.show(released, () => describe(released))
      }),
    )
}

function describe({ id, status, selector, position }: Containment): string {
  return `${id}: ${selector.kind} ${selector.value} is ${status === 'applied' ? 'contained' : 'released'} (position ${position})`
}

function describeAffected(found: ContainmentPreview | ContainmentWithAffected): string[] {
  const { counts, entries, claims, runs } = found
  const lines = [
    table(
      ['affected', 'count'],
      Object.entries(counts).map(([what, count]) => [what, String(count)]),
    ),
  ]
  if (entries.length > 0)
    lines.push(
      table(
        ['entry', 'memoryRef', 'why', 'effect'],
        entries.map(({ id, memoryRef = '', why, compactionId, runId, effect }) => [
          id,
          memoryRef,
          [why, compactionId ?? runId].filter(Boolean).join(' '),
          effect,
        ]),
      ),
    )
  const changed = claims.filter(({ before, after }) => before !== after)
  if (changed.length > 0)
    lines.push(
      table(
        ['claim', 'winner before', 'winner after'],
        changed.map(({ id, before, after }) => [id, before ?? '-', after ?? '-']),
      ),
    )
  if (runs.length > 0)
    lines.push(
      table(
        ['run', 'state', 'read', 'wrote'],
        runs.map(({ id, active, read, wrote }) => [
          id,
          active ? 'active' : 'ended',
          String(read),
          String(wrote.length),
        ]),
      ),
    )
  if (runs.some(({ active }) => active)) lines.push('Active runs may write more. Cancel those that must not.')
  if ('truncated' in found) lines.push('The lists are cut; the counts are complete.')
  if ('cursor' in found && found.cursor !== undefined) lines.push(`more: --cursor ${found.cursor}`)
  if (counts.entries + counts.sourceEvents + counts.runs + counts.claims === 0)
    lines.push('Nothing came from it. Check the spelling.')
  return lines
}
