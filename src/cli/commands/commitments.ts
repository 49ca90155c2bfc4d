import type { Command } from 'commander'
import type { Commitment, CommitmentQuery } from '../../client/index.ts'
import { action } from '../action.ts'
import { pageTable, printable } from '../output.ts'

type ListOptions = { ref?: string; status?: CommitmentQuery['status']; limit?: number; cursor?: string }
type Condition = { at?: string; statement?: string; workflow?: string }

/** commitments list, show, add, edit, cancel. */
export function addCommitmentCommands(program: Command): void {
  const commitments = program
    .command('commitments')
    .description('what entries ask for at a time or after an event, such as reminders')
  commitments
    .command('list')
    .description('list commitments: which wait, from which entry, and which fired when')
    .option('--ref <ref>', 'only commitments of this ref')
    .option('--status <status>', 'waiting, quarantined, paused, fired, cancelled or ended')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { ref, status, limit, cursor }) => {
        const page = await client.commitments.list({ memoryRef: ref, status, limit, cursor })
        const rows = page.commitments.map((item) => [
          item.id,
          printable(item.memoryRef),
          item.status,
          item.firedAt ?? dueOf(item),
          printable(item.intention),
        ])
        output.show(page, () => pageTable(['id', 'ref', 'status', 'due', 'intention'], rows, page.cursor))
      }),
    )
  commitments
    .command('show <id>')
    .description('show one commitment, with the entry that it comes from')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const commitment = await client.commitments.get(id)
        output.show(commitment, () => describe(commitment))
      }),
    )
  commitments
    .command('add <ref> <intention>')
    .description('create a commitment: due at an instant, or once a statement is true')
    .option('--at <instant>', 'when it is due')
    .option('--statement <text>', 'due once an entry of the ref asserts this')
    .option('--memory <id>', 'the entry that it comes from: it ends with that entry')
    .option('--workflow <id>', 'the workflow to run; by default that of the settings')
    .action(
      action<Condition & { memory?: string }>(async ({ client, output }, [memoryRef = '', intention = ''], options) => {
        const { memory: memoryId, workflow: workflowId, ...condition } = options
        const made = await client.commitments.create({ memoryRef, intention, memoryId, workflowId, ...condition })
        output.show(made, () => describe(made))
      }),
    )
  commitments
    .command('edit <id>')
    .description('change a commitment that waits')
    .option('--intention <text>', 'what is intended')
    .option('--at <instant>', 'when it is due')
    .option('--statement <text>', 'due once an entry of the ref asserts this')
    .option('--workflow <id>', 'the workflow to run')
    .action(
      action<Condition & { intention?: string }>(async ({ client, output }, [id = ''], options) => {
        const { workflow: workflowId, ...change } = options
        const changed = await client.commitments.change(id, { workflowId, ...change })
        output.show(changed, () => describe(changed))
      }),
    )
  commitments
    .command('cancel <id>')
    .description('cancel a commitment that waits')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const cancelled = await client.commitments.cancel(id)
        output.show(cancelled, () => describe(cancelled))
      }),
    )
}

function dueOf({ at, statement }: Commitment): string {
  return at ?? `when ${printable(statement ?? '')}`
}

function describe(commitment: Commitment): string {
  const { id, memoryRef, memoryId, intention, status, reason, rule, workflowId, firedAt, enqueuedRunId } = commitment
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['id', id],
    ['ref', printable(memoryRef)],
    ['from', memoryId],
    ['rule', rule],
    ['intention', printable(intention)],
    ['due', dueOf(commitment)],
    ['status', reason === undefined ? status : `${status} (${reason})`],
    ['workflow', workflowId],
    ['fired', firedAt],
    ['run', enqueuedRunId],
  ]
  return lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(10)} ${value}`])).join('\n')
}
