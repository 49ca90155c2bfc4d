import type { Command } from 'commander'
import type {
  AuthorityRules,
  ChangedWriter,
  Client,
  RulesPreviewResult,
  Writer,
  WriterDraft,
} from '../../client/index.ts'
import { categories, isCategory } from '../../core/provenance/category.ts'
import { action } from '../action.ts'
import { collect } from '../collect.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { printable, table, warn } from '../output.ts'

/** The largest page of the server. */
const largestPages = { limit: 500 }

type RuleOptions = { priority?: number; authority?: string[] }
type AddOptions = RuleOptions & { name?: string; apiKey?: string }
type ChangeOptions = RuleOptions & { name?: string; apiKey?: string | false; activate?: true; deactivate?: true }

/** writers list, add, change, preview, authority, reresolve. A writer is named by its service or by its id. */
export function addWriterCommands(program: Command): void {
  const writers = program.command('writers').description('source services and their authority (0–100)')
  writers
    .command('list')
    .description('list writers')
    .action(
      action(async ({ client, output }) => {
        const data = await collect(client.writers.each(largestPages))
        output.show({ data }, () => table(['service', 'status', 'authority', 'key', 'id'], data.map(toRow)))
      }),
    )
  withRules(writers.command('add <service>'))
    .description('register a source service as a writer')
    .option('--name <name>', 'the display name')
    .option('--api-key <id>', 'bind the writer: only this key can send its events')
    .action(
      action<AddOptions>(async ({ client, output }, [service = ''], options) => {
        const writer = await client.writers.create({
          service_key: service,
          display_name: options.name,
          api_key_id: options.apiKey,
          authority_rules: changeRules({ default_priority: 50, categories: {} }, options),
        })
        output.show(writer, () => writer.id)
        warnIfUnbound(writer)
      }),
    )
  addChangeCommands(writers)
}

function addChangeCommands(writers: Command): void {
  withRules(writers.command('change <writer>'))
    .description('change a writer; its earlier assertions keep their priority until "writers reresolve"')
    .option('--name <name>', 'the display name')
    .option('--api-key <id>', 'bind the writer: only this key can send its events')
    .option('--no-api-key', 'unbind the writer: any key of the tenant can send its events')
    .option('--activate', 'accept events of the writer again')
    .option('--deactivate', 'refuse new events of the writer; its memories stay')
    .action(
      action<ChangeOptions>(async ({ client, output }, [name], options) => {
        const writer = await findWriter(client, name)
        const changed = await client.writers.patch(writer.id, toChange(writer, options))
        const row = table(['service', 'status', 'authority', 'key', 'id'], [toRow(changed)])
        output.show(changed, () => [row, ...reresolveNote(changed)].join('\n'))
        if (options.apiKey === false || options.activate) warnIfUnbound(changed)
      }),
    )
  withRules(writers.command('preview <writer>'))
    .description('show which claims other authority rules would change; nothing is stored')
    .action(
      action<RuleOptions>(async ({ client, output }, [name], options) => {
        const writer = await findWriter(client, name)
        const answer = await client.writers.preview(writer.id, changeRules(writer.authority_rules, options))
        const rows = answer.changes.map((item) => [
          item.claimId,
          item.subject,
          item.claimKey ?? '',
          item.from ?? '',
          item.to ?? '',
        ])
        output.show(answer, () => {
          const more = answer.changed > rows.length ? `; the first ${rows.length}:` : ''
          const summary = `${answer.claims} claims checked, ${answer.changed} would change${more}`
          return rows.length === 0 ? summary : `${summary}\n${table(['claim', 'subject', 'key', 'from', 'to'], rows)}`
        })
      }),
    )
  writers
    .command('authority')
    .description('set the default priority of several writers in one commit, and decide their claims again')
    .requiredOption('--set <rule...>', 'a writer and its default priority, 0 to 100: crm=90')
    .option('--dry-run', 'show what would change; nothing is stored')
    .option(...waitOption)
    .action(
      action<{ set: string[]; dryRun?: true; wait?: true }>(
        async ({ client, output }, _args, { set, dryRun, wait }) => {
          const drafts = await authorityDrafts(client, set)
          if (dryRun) {
            const preview = await client.writers.previewAuthority({ writers: drafts })
            return output.show(preview, () => describePreview(preview))
          }
          const stored = await client.writers.changeAuthority({ writers: drafts })
          if (!wait) return output.show(stored, () => stored.jobId)
          const job = await waitForJob(client, stored.jobId)
          output.show(job, () => reresolved(job.result))
          failUnlessCompleted(job.id, job)
        },
      ),
    )
  writers
    .command('reresolve <writer>')
    .description('decide the claims of a writer again, with its current authority rules')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ client, output }, [name], { wait }) => {
        const { id } = await findWriter(client, name)
        const started = await client.writers.reresolve(id)
        if (!wait) return output.show(started, () => started.jobId)
        const job = await waitForJob(client, started.jobId)
        output.show(job, () => reresolved(job.result))
        failUnlessCompleted(job.id, job)
      }),
    )
}

function reresolved(result: unknown): string {
  const { decided = 0, changed = 0 } = (result ?? {}) as { decided?: number; changed?: number }
  return `${decided} claims decided again, ${changed} have a new winner`
}

/** The rules of `--set crm=90 chat=40`: priorities of categories stay as they are. */
async function authorityDrafts(client: Client, rules: readonly string[]) {
  const drafts = []
  for (const rule of rules) {
    const [, name = '', value = ''] = /^(.+)=(\d{1,3})$/.exec(rule) ?? []
    if (name === '') throw new CliError(`${printable(rule)} must be SERVICE=PRIORITY, such as crm=90.`, exitCodes.usage)
    const { id, authority_rules } = await findWriter(client, name)
    drafts.push({ id, authority_rules: changeRules(authority_rules, { priority: Number(value) }) })
  }
  return drafts
}

function describePreview({ claims, changed, contested, pinned, changes }: RulesPreviewResult): string {
  const summary = `${claims} claims checked: ${changed} would have another winner, ${contested} would become contested, ${pinned} are pinned`
  const side = (content: RulesPreviewResult['changes'][number]['before']) =>
    content === null ? 'nothing' : printable(`${content.content.slice(0, 40)} (${content.source} ${content.priority})`)
  const rows = changes.map(({ subject, claimKey, before, after }) => [
    printable(subject),
    claimKey ?? '',
    side(before),
    side(after),
  ])
  return rows.length === 0 ? summary : `${summary}\n${table(['subject', 'key', 'before', 'after'], rows)}`
}

function warnIfUnbound({ service_key, api_key_id }: Writer): void {
  if (api_key_id !== null) return
  warn(
    `every key with the scope memory:write can send events as ${service_key}. To bind it: colophon writers change ${service_key} --api-key ID`,
  )
}

function withRules(command: Command): Command {
  return command
    .option('--priority <number>', 'the default priority, 0 to 100 (50 for a new writer)')
    .option('--authority <rule...>', `the priority in one category: preference=90, or preference=default`)
}

/** Omitted rules stay as they are. The API replaces all rules, so they are merged here. */
function changeRules(rules: Writer['authority_rules'], { priority, authority = [] }: RuleOptions): AuthorityRules {
  const byCategory = new Map(Object.entries(rules.categories))
  for (const rule of authority) {
    const [category = '', value = ''] = rule.split('=')
    if (!isCategory(category))
      throw new CliError(`--authority must begin with one of ${categories.join(', ')}.`, exitCodes.usage)
    if (value === 'default') byCategory.delete(category)
    else byCategory.set(category, checkPriority('--authority', /^\d{1,3}$/.test(value) ? Number(value) : Number.NaN))
  }
  return {
    default_priority: checkPriority('--priority', priority ?? rules.default_priority),
    categories: Object.fromEntries(byCategory),
  }
}

function checkPriority(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 0 && value <= 100) return value
  throw new CliError(`${option} needs a whole number from 0 to 100.`, exitCodes.usage)
}

function toChange(writer: Writer, options: ChangeOptions): Partial<WriterDraft> {
  const { name, apiKey, activate, deactivate, priority, authority } = options
  if (activate && deactivate) throw new CliError('Use --activate or --deactivate, not both.', exitCodes.usage)
  const isRuled = priority !== undefined || authority !== undefined
  const change = {
    ...(name === undefined ? {} : { display_name: name }),
    ...(apiKey === undefined ? {} : { api_key_id: apiKey === false ? null : apiKey }),
    ...(isRuled ? { authority_rules: changeRules(writer.authority_rules, options) } : {}),
    ...(activate || deactivate ? { is_active: activate === true } : {}),
  }
  if (Object.keys(change).length === 0)
    throw new CliError('Name at least one change. See: colophon writers change --help', exitCodes.usage)
  return change
}

async function findWriter(client: Client, name: string | undefined): Promise<Writer> {
  for await (const writer of client.writers.each(largestPages))
    if (writer.service_key === name || writer.id === name) return writer
  throw new CliError(
    `writer_not_found: There is no writer ${name}.\n  To list writers: colophon writers list`,
    exitCodes.notFound,
  )
}

function toRow({ id, service_key, display_name, authority_rules, api_key_id, is_active }: Writer): string[] {
  const { default_priority, categories: special } = authority_rules
  const authority = [String(default_priority), ...Object.entries(special).map(([name, value]) => `${name}=${value}`)]
  const service = display_name === null ? service_key : `${service_key} (${display_name})`
  return [service, is_active ? 'active' : 'inactive', authority.join(' '), api_key_id ?? 'any', id]
}

/** Earlier claims keep their winner: the note says how many would not. */
function reresolveNote({ service_key, reresolve }: ChangedWriter): string[] {
  if (reresolve === undefined || (reresolve.claims === 0 && !reresolve.at_least)) return []
  const count = `${reresolve.at_least ? 'at least ' : ''}${reresolve.claims}`
  return [
    `${count} earlier claims would have another winner. To decide them again: colophon writers reresolve ${service_key}`,
  ]
}
