import type { Command } from 'commander'
import type { ChangedMemory, Memory, RetrieveDraft } from '../../client/index.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { memberTable, pageTable, printable, table } from '../output.ts'
import { action } from '../run.ts'
import { readInput } from '../text-input.ts'

type ListOptions = {
  all?: true
  asOf?: string
  category?: string[]
  agent?: string
  limit?: number
  cursor?: string
}
type RetrieveOptions = {
  category?: RetrieveDraft['categories']
  agent?: string
  asOf?: string
  days?: number
  limit?: number
  format?: RetrieveDraft['format']
  maxTokens?: number
  prompt?: true
}

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
      action<ListOptions>(async ({ client, output }, [user = ''], options) => {
        const page = await client.memories.list({
          external_user_id: user,
          agent_id: options.agent,
          categories: options.category,
          limit: options.limit,
          cursor: options.cursor,
          include_superseded: options.all,
          as_of: options.asOf,
        })
        const rows = page.data.map((memory) => [
          memory.id,
          memory.status,
          memory.category,
          whoTold(memory),
          printable(memory.content).slice(0, 80),
        ])
        const head = ['id', 'status', 'category', 'told by', 'content']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
}

/** The service, or else the run or the key that wrote it. */
function whoTold({ provenance, attribution }: Pick<Memory, 'provenance' | 'attribution'>): string {
  return provenance?.service ?? attribution.run_id ?? attribution.api_key_id ?? ''
}

function addLookCommands(memories: Command): void {
  memories
    .command('show <id>')
    .description('one memory with everything that is known about it')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const memory = await client.memories.get(id)
        output.show(memory, () => memberTable(memory))
      }),
    )
  memories
    .command('history <id>')
    .description('every version, and why it came and went')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.memories.history(id)
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
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.memories.sources(id)
        const rows = answer.data.map((source) => [
          source.service,
          source.event_id,
          source.observed_at,
          source.payload_hash ?? '-',
        ])
        output.show(answer, () => table(['service', 'event', 'observed', 'payload hash'], rows))
      }),
    )
}

/** An edit is decided like any other statement, so it may lose. */
function toOutcome({ id, status, version }: ChangedMemory): string {
  if (status === 'superseded')
    return `${id} is superseded: another statement has more authority. To pin it: memories edit … --reason TEXT`
  return `${id} is at version ${version}`
}

function addChangeCommands(memories: Command): void {
  memories
    .command('edit <id> [content]')
    .description(
      'state another content in place of it, or change its importance; without either, read the content from standard input',
    )
    .option('--importance <number>', '1 to 10')
    .option('--reason <text>', 'why the content changes; with memory:admin the new content is pinned')
    .action(
      action<{ importance?: number; reason?: string }>(
        async ({ client, output }, [id = '', given], { importance, reason }) => {
          const content = given ?? (importance === undefined ? await readInput('content') : undefined)
          const memory = await client.memories.patch(id, { content, importance: checkImportance(importance), reason })
          output.show(memory, () => toOutcome(memory))
        },
      ),
    )
  for (const [verb, description] of [
    ['archive', 'take a memory out of what is known, without forgetting it'],
    ['restore', 'bring an archived memory back'],
  ] as const) {
    memories
      .command(`${verb} <id>`)
      .description(description)
      .action(
        action(async ({ client, output }, [id = '']) => {
          const memory = await client.memories.patch(id, { is_archived: verb === 'archive' })
          output.show(memory, () => `${memory.id} is ${memory.status}`)
        }),
      )
  }
  memories
    .command('delete <id>')
    .description('end a memory; if others told something else, the next of them holds')
    .option('--erase', 'also take its text out of every version')
    .action(
      action<{ erase?: true }>(async ({ client, output }, [id = ''], { erase }) => {
        const answer = await client.memories.delete(id, erase && { hard_delete: true })
        output.show(answer, () => (erase ? 'erased' : 'deleted'))
      }),
    )
}

function checkImportance(value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= 10)) return value
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
      action<RetrieveOptions>(async ({ client, output }, [user = '', query = ''], options) => {
        const answer = await client.memories.retrieve({
          external_user_id: user,
          query,
          categories: options.category,
          agent_id: options.agent,
          as_of: options.asOf,
          format: options.format,
          limit: checkCount('--limit', options.limit),
          time_filter_days: checkCount('--days', options.days),
          context_max_tokens: checkCount('--max-tokens', options.maxTokens),
        })
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

function checkCount(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (value >= 0 && value < 1e9)) return value
  throw new CliError(`${option} needs a whole number.`, exitCodes.usage)
}
