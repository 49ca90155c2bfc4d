import type { Command } from 'commander'
import type { Claim } from '../../client/index.ts'
import { action } from '../action.ts'
import { pageTable, printable, table } from '../output.ts'

type ListOptions = { contested?: true; subject?: string; limit?: number; cursor?: string }

/** claims list, show, timeline, pin, unpin. */
export function addClaimCommands(program: Command): void {
  const claims = program
    .command('claims')
    .description('claims: what sources state about the same thing, and which content wins')
  claims
    .command('list')
    .description('list claims; with --contested, those that need a decision')
    .option('--contested', 'only claims whose best contents have the same priority')
    .option('--subject <user>', 'only claims about this user')
    .option('-n, --limit <count>', 'items per page', '50')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { contested, ...query }) => {
        const page = await client.claims.list({ ...query, status: contested && 'contested' })
        const rows = page.claims.map((claim) => [
          claim.id,
          claim.subject,
          topicOf(claim),
          claim.status,
          printable(claim.contents.find(({ status }) => status === 'active')?.content ?? '').slice(0, 60),
        ])
        const head = ['claim', 'subject', 'about', 'status', 'winner']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  claims
    .command('show <id>')
    .description('show every content of a claim, best first')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const claim = await client.claims.get(id)
        output.show(claim, () => describe(claim))
      }),
    )
  claims
    .command('timeline <user>')
    .description('what was current about a user over time, by claim')
    .option('-n, --limit <count>', 'claims per page', '50')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<{ limit?: number; cursor?: string }>(async ({ client, output }, [subject = ''], query) => {
        const page = await client.claims.timeline({ ...query, subject })
        const rows = page.rows.flatMap((row) =>
          row.spans.map(({ from, to, endedReason, writer, content }) => [
            topicOf(row),
            from.at,
            to === null ? 'now' : to.position === from.position ? 'lost at once' : `${to.at} ${endedReason}`,
            writer ?? '',
            printable(content).slice(0, 60),
          ]),
        )
        const head = ['about', 'from', 'to', 'writer', 'content']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  claims
    .command('pin <id> <memory>')
    .description('pin one memory as the winner, whatever the priorities')
    .requiredOption('--reason <text>', 'the reason of the decision')
    .action(
      action<{ reason: string }>(async ({ client, output }, [id = '', memoryId = ''], { reason }) => {
        const claim = await client.claims.resolve(id, { memoryId, reason })
        output.show(claim, () => describe(claim))
      }),
    )
  claims
    .command('unpin <id>')
    .description('remove a pin: the priorities decide again')
    .requiredOption('--reason <text>', 'the reason of the decision')
    .action(
      action<{ reason: string }>(async ({ client, output }, [id = ''], { reason }) => {
        const claim = await client.claims.resolve(id, { unpin: true, reason })
        output.show(claim, () => describe(claim))
      }),
    )
}

function topicOf({ category, claimKey }: Pick<Claim, 'category' | 'claimKey'>): string {
  return claimKey === null ? category : `${category} ${claimKey}`
}

function describe(claim: Claim): string {
  const { id, subject, status, pin, contents } = claim
  const rows = contents.map((content) => [
    content.status,
    String(content.priority),
    content.observedAt,
    String(content.confidence),
    content.trust,
    content.services.join(' ') || `${content.sources} without a service`,
    content.memoryId ?? '',
    printable(content.content).slice(0, 60),
  ])
  const lines = [
    printable(`${id}: ${topicOf(claim)} of ${subject} is ${status}`),
    ...(pin === null ? [] : [printable(`pinned by ${pin.actor} at ${pin.at}: ${pin.reason}`)]),
  ]
  const head = ['status', 'priority', 'observed', 'confidence', 'trust', 'sources', 'memory', 'content']
  return [...lines, table(head, rows)].join('\n')
}
