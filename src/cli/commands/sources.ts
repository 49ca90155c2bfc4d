import type { Command } from 'commander'
import type { SourceEventPage } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { parseJson } from '../json-input.ts'
import { memberTable, pageTable } from '../output.ts'
import { readFileOrInput } from '../text-input.ts'

type Named = { service?: string }
type ListOptions = Named & { subject?: string; event?: string; limit?: number; cursor?: string }

/** An event is named by its id, or by the id that it has in its service. */
const serviceOption = ['--service <key>', 'the service whose event id the id is'] as const

/** sources list, show, verify. */
export function addSourceCommands(program: Command): void {
  const sources = program.command('sources').description('source events: what each service sent')
  sources
    .command('list')
    .description('list source events, newest first')
    .option('--subject <user>', 'only events about this user')
    .option('--service <key>', 'only events of this service')
    .option('--event <id>', 'only events that have this id in their service')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { subject, service, event, limit, cursor }) => {
        const filter = { external_user_id: subject, source_service: service, event_id: event }
        const page = await client.sources.list({ ...filter, limit, cursor })
        const head = ['id', 'service', 'event', 'subject', 'received', 'payload']
        output.show(page, () => pageTable(head, page.data.map(toRow), page.cursor))
      }),
    )
  sources
    .command('show <id>')
    .description('show one event: its messages if they are kept, its payload hash, and the memories it stated')
    .option(...serviceOption)
    .action(
      action<Named>(async ({ client, output }, [id = ''], { service }) => {
        const event = await client.sources.get(id, { sourceService: service })
        output.show(event, () => memberTable(event))
      }),
    )
  sources
    .command('verify <id> <file>')
    .description('compare the messages in a file (- for standard input) with the payload hash of an event')
    .option(...serviceOption)
    .action(
      action<Named>(async ({ client, output }, [id = '', file = ''], { service }) => {
        const messages = toMessages(await readFileOrInput(file), file)
        const answer = await client.sources.verify(id, messages, { sourceService: service })
        output.show(answer, () => `${answer.matches ? 'matches' : 'DIFFERS FROM'} ${answer.payload_hash}`)
        if (!answer.matches)
          throw new CliError('the messages do not match the payload hash of the event', exitCodes.refused)
      }),
    )
}

function toRow(event: SourceEventPage['data'][number]): string[] {
  const { id, service, received_at } = event
  if ('erased' in event) return [id, service ?? '', '', '', received_at, 'erased']
  return [id, service ?? '', event.event_id ?? '', event.external_user_id, received_at, event.payload_state]
}

/** A list of messages, or the body of the request that sent them. */
function toMessages(text: string, file: string): object[] {
  const document = parseJson(text, file)
  const messages = Array.isArray(document) ? document : (document as { messages?: unknown } | null)?.messages
  if (Array.isArray(messages)) return messages
  throw new CliError(
    `${file} must be a JSON array of messages, or an object with the member messages.`,
    exitCodes.usage,
  )
}
