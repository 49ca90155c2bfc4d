import type { Command } from 'commander'
import type { Claim } from '../../client/index.ts'
import { pageTable, printable, table } from '../output.ts'
import { action } from '../run.ts'

type ListOptions = { contested?: true; subject?: string; limit?: number; cursor?: string }

/** claims list, show, pin, unpin. */
export function addClaimCommands(program: Command): void {
  const claims = program.command('claims').description('what sources say about the same thing, and who wins')
  claims
    .command('list')
    .description('claims; with --contested, those that a person should look at')
    .option('--contested', 'only where two contents have the same priority')
    .option('--subject <user>', 'only about this user')
    .option('-n, --limit <count>', 'how many', '50')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { contested, ...query }) => {
        const page = await client.claims.list({ ...query, status: contested && 'contested' })
        const rows = page.claims.map((claim) => [
          claim.id,
          claim.subject,
          slotOf(claim),
          claim.status,
          printable(claim.contents.find(({ status }) => status === 'active')?.content ?? '').slice(0, 60),
        ])
        const head = ['claim', 'subject', 'about', 'status', 'holds']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  claims
    .command('show <id>')
    .description('all that was said, best first')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const claim = await client.claims.get(id)
        output.show(claim, () => describe(claim))
      }),
    )
  claims
    .command('pin <id> <memory>')
    .description('decide for one memory, until the decision is taken back')
    .requiredOption('--reason <text>', 'why')
    .action(
      action<{ reason: string }>(async ({ client, output }, [id = '', memoryId = ''], { reason }) => {
        const claim = await client.claims.resolve(id, { memoryId, reason })
        output.show(claim, () => describe(claim))
      }),
    )
  claims
    .command('unpin <id>')
    .description('take a decision back: authority decides again')
    .requiredOption('--reason <text>', 'why')
    .action(
      action<{ reason: string }>(async ({ client, output }, [id = ''], { reason }) => {
        const claim = await client.claims.resolve(id, { unpin: true, reason })
        output.show(claim, () => describe(claim))
      }),
    )
}

function slotOf({ category, claimKey }: Claim): string {
  return claimKey === null ? category : `${category} ${claimKey}`
}

function describe(claim: Claim): string {
  const { id, subject, status, pin, contents } = claim
  const rows = contents.map((content) => [
    content.status,
    String(content.priority),
    content.observedAt,
    String(content.confidence),
    content.services.join(' ') || `${content.sources} without a service`,
    content.memoryId ?? '',
    printable(content.content).slice(0, 60),
  ])
  const lines = [
    printable(`${id}: ${slotOf(claim)} of ${subject} is ${status}`),
    ...(pin === null ? [] : [printable(`pinned by ${pin.actor} at ${pin.at}: ${pin.reason}`)]),
  ]
  const head = ['status', 'priority', 'observed', 'confidence', 'told by', 'memory', 'content']
  return [...lines, table(head, rows)].join('\n')
}
