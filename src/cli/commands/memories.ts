import type { Command } from 'commander'
import type { HistoryItem } from '../../app/provenance/history.ts'
import type { MemoryView, Provenance } from '../../app/provenance/memory-view.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { printable, table } from '../output.ts'
import { moreLine, withQuery } from '../query.ts'
import { action } from '../run.ts'
import { readInput } from '../text-input.ts'

const base = '/v1/memories'
const memoryPath = (id = '') => `${base}/${encodeURIComponent(id)}`

type ListOptions = {
  all?: true
  asOf?: string
  category?: string[]
  agent?: string
  limit?: string
  cursor?: string
}
type RetrieveOptions = {
  category?: string[]
  agent?: string
  asOf?: string
  days?: string
  limit?: string
  format?: string
  maxTokens?: string
  prompt?: true
}
type Found = Pick<MemoryView, 'id' | 'content' | 'category' | 'provenance'> & { relevance_score: number }
type Retrieval = { data: Found[]; system_prompt_addition: string }

/** memories list, show, history, sources, edit, archive, restore, delete; retrieve. */
export function addMemoriesCommands(program: Command): void {
  const memories = program.command('memories').description('what is known about users, and who told it')
  addListCommand(memories)
  addLookCommands(memories)
  addChangeCommands(memories)
  addRetrieveCommand(program)
}

function addListCommand(memories: Command): void {
  memories
    .command('list <user>')
    .description('what is known about a user, newest first')
    .option('--all', 'also what was superseded or archived')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--category <category...>', 'only of these kinds')
    .option('--agent <id>', 'only what was told to this agent')
    .option('-n, --limit <count>', 'how many, up to 50', '20')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ caller, output }, [user], options) => {
        const path = withQuery(base, {
          external_user_id: user,
          agent_id: options.agent,
          categories: options.category?.join(','),
          limit: options.limit,
          cursor: options.cursor,
          include_superseded: options.all && 'true',
          as_of: options.asOf,
        })
        const page = (await caller.call('GET', path)) as { data: MemoryView[]; cursor?: string }
        const rows = page.data.map((memory) => [
          memory.id,
          memory.status,
          memory.category,
          whoTold(memory),
          printable(memory.content).slice(0, 80),
        ])
        const head = ['id', 'status', 'category', 'told by', 'content']
        output.show(page, () => [table(head, rows), ...moreLine(page.cursor)].join('\n'))
      }),
    )
}

/** The service, or else the run or the key that wrote it. */
function whoTold({ provenance, attribution }: Pick<MemoryView, 'provenance' | 'attribution'>): string {
  return provenance?.service ?? attribution.run_id ?? attribution.api_key_id ?? ''
}

function addLookCommands(memories: Command): void {
  memories
    .command('show <id>')
    .description('one memory with everything that is known about it')
    .action(
      action(async ({ caller, output }, [id]) => {
        const memory = (await caller.call('GET', memoryPath(id))) as MemoryView
        const rows = Object.entries(memory).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ])
        output.show(memory, () => table(['member', 'value'], rows))
      }),
    )
  memories
    .command('history <id>')
    .description('every version, and why it came and went')
    .action(
      action(async ({ caller, output }, [id]) => {
        const answer = (await caller.call('GET', `${memoryPath(id)}/history`)) as { data: HistoryItem[] }
        const rows = answer.data.map((item) => [
          item.created_at,
          String(item.version_number),
          item.change_type,
          item.change_reason ?? '',
          item.actor,
          printable(item.content).slice(0, 60),
        ])
        output.show(answer, () => table(['when', 'version', 'change', 'why', 'who', 'content'], rows))
      }),
    )
  memories
    .command('sources <id>')
    .description('every source that told it')
    .action(
      action(async ({ caller, output }, [id]) => {
        const answer = (await caller.call('GET', `${memoryPath(id)}/sources`)) as { data: Provenance[] }
        const rows = answer.data.map((told) => [told.service, told.event_id, told.observed_at, told.payload_hash])
        output.show(answer, () => table(['service', 'event', 'observed', 'payload hash'], rows))
      }),
    )
}

function addChangeCommands(memories: Command): void {
  memories
    .command('edit <id> [content]')
    .description(
      'a new version with another content or importance; without either, read the content from standard input',
    )
    .option('--importance <number>', '1 to 10')
    .action(
      action<{ importance?: string }>(async ({ caller, output }, [id, given], { importance }) => {
        const content = given ?? (importance === undefined ? await readInput('content') : undefined)
        const patch = { content, ...(importance === undefined ? {} : { importance: toImportance(importance) }) }
        const memory = (await caller.call('PATCH', memoryPath(id), patch)) as MemoryView
        output.show(memory, () => `${memory.id} is at version ${memory.version}`)
      }),
    )
  for (const [verb, description] of [
    ['archive', 'take a memory out of what is known, without forgetting it'],
    ['restore', 'bring an archived memory back'],
  ] as const) {
    memories
      .command(`${verb} <id>`)
      .description(description)
      .action(
        action(async ({ caller, output }, [id]) => {
          const memory = (await caller.call('PATCH', memoryPath(id), { is_archived: verb === 'archive' })) as MemoryView
          output.show(memory, () => `${memory.id} is ${memory.status}`)
        }),
      )
  }
  memories
    .command('delete <id>')
    .description('end a memory; if others told something else, the next of them holds')
    .option('--erase', 'also take its text out of every version')
    .action(
      action<{ erase?: true }>(async ({ caller, output }, [id], { erase }) => {
        const answer = await caller.call('DELETE', withQuery(memoryPath(id), { hard_delete: erase && 'true' }))
        output.show(answer, () => (erase ? 'erased' : 'deleted'))
      }),
    )
}

function toImportance(value: string): number {
  if (/^(?:[1-9]|10)$/.test(value)) return Number(value)
  throw new CliError('--importance needs a whole number from 1 to 10.', exitCodes.usage)
}

function addRetrieveCommand(program: Command): void {
  program
    .command('retrieve <user> <query>')
    .description('what is known about a user that bears on a question, best first')
    .option('-n, --limit <count>', 'how many, up to 50', '10')
    .option('--category <category...>', 'only of these kinds')
    .option('--agent <id>', 'only what was told to this agent')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--days <count>', 'only of the last days')
    .option('--prompt', 'print the text for a prompt instead')
    .option('--format <format>', 'of that text: bullets, json or xml')
    .option('--max-tokens <count>', 'how long that text may be')
    .action(
      action<RetrieveOptions>(async ({ caller, output }, [user, query], options) => {
        const body = {
          external_user_id: user,
          query,
          categories: options.category,
          agent_id: options.agent,
          as_of: options.asOf,
          format: options.format,
          limit: toCount('--limit', options.limit),
          time_filter_days: toCount('--days', options.days),
          context_max_tokens: toCount('--max-tokens', options.maxTokens),
        }
        const answer = (await caller.call('POST', `${base}/retrieve`, body)) as Retrieval
        const rows = answer.data.map(({ relevance_score, id, category, provenance, content }) => [
          relevance_score.toFixed(3),
          id,
          category,
          provenance?.service ?? '',
          printable(content).slice(0, 80),
        ])
        output.show(answer, () =>
          options.prompt
            ? answer.system_prompt_addition
            : table(['score', 'id', 'category', 'told by', 'content'], rows),
        )
      }),
    )
}

function toCount(option: string, value: string | undefined): number | undefined {
  if (value === undefined || /^\d{1,9}$/.test(value)) return value === undefined ? undefined : Number(value)
  throw new CliError(`${option} needs a whole number.`, exitCodes.usage)
}
