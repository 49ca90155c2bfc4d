import type { Command } from 'commander'
import { CliError, exitCodes } from '../exit-codes.ts'
import { parseJson } from '../json-input.ts'
import { table } from '../output.ts'
import { moreLine, withQuery } from '../query.ts'
import { action } from '../run.ts'
import { readFileOrInput } from '../text-input.ts'

const base = '/v1/tenant/source-events'
const sourcePath = (id = '') => `${base}/${encodeURIComponent(id)}`

type SourceEvent = {
  id: string
  service: string | null
  event_id: string | null
  external_user_id: string
  received_at: string
  payload_state: string
}
type ListOptions = { subject?: string; service?: string; limit?: string; cursor?: string }

/** sources list, show, verify. */
export function addSourceCommands(program: Command): void {
  const sources = program.command('sources').description('what services told, event by event')
  sources
    .command('list')
    .description('source events, newest first')
    .option('--subject <user>', 'only about this user')
    .option('--service <key>', 'only of this service')
    .option('-n, --limit <count>', 'how many', '20')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ caller, output }, _args, { subject, service, limit, cursor }) => {
        const path = withQuery(base, { external_user_id: subject, source_service: service, limit, cursor })
        const page = (await caller.call('GET', path)) as { data: SourceEvent[]; cursor?: string }
        const rows = page.data.map((event) => [
          event.id,
          event.service ?? '',
          event.event_id ?? '',
          event.external_user_id,
          event.received_at,
          event.payload_state,
        ])
        const head = ['id', 'service', 'event', 'subject', 'received', 'payload']
        output.show(page, () => [table(head, rows), ...moreLine(page.cursor)].join('\n'))
      }),
    )
  sources
    .command('show <id>')
    .description('one event: its messages as far as they are kept, its hash, and what became of it')
    .action(
      action(async ({ caller, output }, [id]) => {
        const event = (await caller.call('GET', sourcePath(id))) as SourceEvent
        const rows = Object.entries(event).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])
        output.show(event, () => table(['member', 'value'], rows))
      }),
    )
  sources
    .command('verify <id> <file>')
    .description('whether the messages in a file (- for standard input) are those that were told')
    .action(
      action(async ({ caller, output }, [id, file = '']) => {
        const messages = toMessages(await readFileOrInput(file), file)
        const answer = (await caller.call('POST', `${sourcePath(id)}:verify`, { messages })) as {
          matches: boolean
          payload_hash: string
        }
        output.show(answer, () => `${answer.matches ? 'matches' : 'DIFFERS FROM'} ${answer.payload_hash}`)
        if (!answer.matches) throw new CliError('these are not the messages that were told', exitCodes.refused)
      }),
    )
}

/** The list of messages itself, or the body of the call that told them. */
function toMessages(text: string, file: string): unknown {
  const document = parseJson(text, file)
  const messages = Array.isArray(document) ? document : (document as { messages?: unknown } | null)?.messages
  if (Array.isArray(messages)) return messages
  throw new CliError(`${file} holds no list of messages, and no object with one.`, exitCodes.usage)
}
