import type { Command } from 'commander'
import type { ChangedMemory, Memory, Retrieval, RetrieveDraft } from '../../client/index.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { filterOption, parseFilterOption } from '../filter-option.ts'
import { minRelevanceOption, parseMinRelevance } from '../min-relevance-option.ts'
import { memberTable, pageTable, printable, table } from '../output.ts'
import { readInput } from '../text-input.ts'
import { trustMinOption } from '../trust-options.ts'

type ListOptions = {
  all?: true
  asOf?: string
  category?: string[]
  agent?: string
  service?: string
  limit?: number
  cursor?: string
  trustMin?: Trust
  filter?: string
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
  trustMin?: Trust
  minRelevance?: unknown
  filter?: string
  explain?: true
}

/** memories list, show, history, sources, edit, archive, restore, delete; retrieve. */
export function addMemoriesCommands(program: Command): void {
  const memories = program.command('memories').description('memories about users, with their sources')
  addListCommand(memories)
  addShowCommands(memories)
  addChangeCommands(memories)
  addRetrieveCommand(program)
}

function addListCommand(memories: Command): void {
  memories
    .command('list <user>')
    .description('list the memories about a user, newest first')
    .option('--all', 'also superseded and archived memories')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--category <category...>', 'only these categories')
    .option('--agent <id>', 'only memories for this agent')
    .option('--service <key>', 'only memories that this source service states')
    .option(...filterOption)
    .option('-n, --limit <count>', 'items per page, up to 50', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .option(...trustMinOption)
    .action(
      action<ListOptions>(async ({ client, output }, [user = ''], options) => {
        const page = await client.memories.list({
          external_user_id: user,
          agent_id: options.agent,
          source_service: options.service,
          categories: options.category,
          limit: options.limit,
          cursor: options.cursor,
          include_superseded: options.all,
          as_of: options.asOf,
          trust_min: options.trustMin,
          ...parseFilterOption(options.filter),
        })
        const rows = page.data.map((memory) => [
          memory.id,
          memory.always_include ? `${memory.status}, always included` : memory.status,
          memory.category,
          memory.trust,
          sourceOf(memory),
          printable(memory.content).slice(0, 80),
        ])
        const head = ['id', 'status', 'category', 'trust', 'source', 'content']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
}

/** The source service, or else the run or the key that wrote it. */
function sourceOf({ provenance, attribution }: Pick<Memory, 'provenance' | 'attribution'>): string {
  return provenance?.service ?? attribution.run_id ?? attribution.api_key_id ?? ''
}

function addShowCommands(memories: Command): void {
  memories
    .command('show <id>')
    .description('show one memory with its provenance')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const memory = await client.memories.get(id)
        output.show(memory, () => memberTable(memory))
      }),
    )
  memories
    .command('history <id>')
    .description('list every version of a memory, with the reason of each change')
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
        output.show(answer, () => table(['when', 'version', 'change', 'reason', 'actor', 'content'], rows))
      }),
    )
  memories
    .command('aliases <user>')
    .description('list the names that mean the same in the memories about a user; with --set, set them')
    .option('--set <name...>', 'the other names of the user, instead of those that were set before')
    .option('--clear', 'remove the names that were set')
    .action(
      action<{ set?: string[]; clear?: true }>(async ({ client, output }, [user = ''], { set, clear }) => {
        const names = clear ? [] : set
        const answer = await (names ? client.memories.setAliases(user, names) : client.memories.aliases(user))
        const rows = answer.aliases.map((alias) => [
          alias.names.map(printable).join(' = '),
          alias.source,
          alias.memoryId,
        ])
        output.show(answer, () => table(['names', 'source', 'memory'], rows))
      }),
    )
  memories
    .command('sources <id>')
    .description('list the source events that stated a memory')
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

/** An edit is an assertion like any other, so another content can win. */
function toOutcome({ id, status, version }: ChangedMemory): string {
  if (status === 'superseded')
    return `${id} is superseded: another content has a higher priority. To pin it: memories edit … --reason TEXT`
  return `${id} is at version ${version}`
}

function addChangeCommands(memories: Command): void {
  memories
    .command('edit <id> [content]')
    .description('change a memory; without content and options, read the content from standard input')
    .option('--importance <number>', 'from 1 to 10')
    .option('--always-include', 'put it into every prompt about the user; needs the scope memory:admin')
    .option('--no-always-include', 'put it only into prompts for queries that it matches')
    .option('--reason <text>', 'the reason of the change; with the scope memory:admin, the new content is pinned')
    .action(
      action<{ importance?: number; reason?: string; alwaysInclude?: boolean }>(
        async ({ client, output }, [id = '', given], { importance, reason, alwaysInclude: always_include }) => {
          const isOther = importance !== undefined || always_include !== undefined
          const content = given ?? (isOther ? undefined : await readInput('content'))
          const changed = { content, importance: checkImportance(importance), reason, always_include }
          const memory = await client.memories.patch(id, changed)
          output.show(memory, () => toOutcome(memory))
        },
      ),
    )
  for (const [verb, description] of [
    ['archive', 'archive a memory: it is no longer found, until it is restored'],
    ['restore', 'restore an archived memory'],
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
    .description('delete a memory; if its claim has other contents, the next one wins')
    .option('--erase', 'also erase its text from every version')
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
    .description('search the memories about a user, best first')
    .option('-n, --limit <count>', 'results, up to 50', '10')
    .option('--category <category...>', 'only these categories')
    .option('--agent <id>', 'only memories for this agent')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option(...trustMinOption)
    .option(...minRelevanceOption)
    .option(...filterOption)
    .option('--days <count>', 'only memories of the last days')
    .option('--explain', 'show why each memory is there, and whether the prompt has it')
    .option('--prompt', 'print the text for a prompt instead of a table')
    .option('--format <format>', 'with --prompt: bullets, json or xml')
    .option('--max-tokens <count>', 'with --prompt: the maximum length of the text')
    .action(
      action<RetrieveOptions>(async ({ client, output }, [user = '', query = ''], options) => {
        const answer = await client.memories.retrieve({
          external_user_id: user,
          query,
          categories: options.category,
          agent_id: options.agent,
          as_of: options.asOf,
          trust_min: options.trustMin,
          min_relevance: parseMinRelevance(options.minRelevance).minRelevance,
          format: options.format,
          limit: checkCount('--limit', options.limit),
          time_filter_days: checkCount('--days', options.days),
          context_max_tokens: checkCount('--max-tokens', options.maxTokens),
          explain: options.explain,
          ...parseFilterOption(options.filter),
        })
        const rows = answer.data.map(({ relevance_score, why, id, category, trust, provenance, content }) => [
          relevance_score.toFixed(3),
          id,
          category,
          trust,
          provenance?.service ?? '',
          ...(options.explain ? [describeWhy(why)] : []),
          printable(content).slice(0, 80),
        ])
        const reason = options.explain ? ['why'] : []
        output.show(answer, () =>
          options.prompt
            ? answer.system_prompt_addition
            : table(['score', 'id', 'category', 'trust', 'source', ...reason, 'content'], rows),
        )
      }),
    )
}

function describeWhy(why: Retrieval['data'][number]['why']): string {
  return [why?.included, why?.left_out && `not in the prompt: ${why.left_out}`].filter(Boolean).join(', ')
}

function checkCount(option: string, value: number | undefined): number | undefined {
  if (value === undefined || (value >= 0 && value < 1e9)) return value
  throw new CliError(`${option} needs a whole number.`, exitCodes.usage)
}
