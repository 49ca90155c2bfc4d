import type { Command } from 'commander'
import type { AuthorityRules, Client, Writer, WriterDraft } from '../../client/index.ts'
import { categories, isCategory } from '../../core/provenance/category.ts'
import { collect } from '../collect.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { table, warn } from '../output.ts'
import { action } from '../run.ts'

/** The largest page that the server gives. */
const wholePages = { limit: 500 }

type RuleOptions = { priority?: number; authority?: string[] }
type AddOptions = RuleOptions & { name?: string; apiKey?: string }
type ChangeOptions = RuleOptions & { name?: string; apiKey?: string | false; activate?: true; deactivate?: true }

/** writers list, add, change, preview, reresolve. A writer is named by its service or by its id. */
export function addWriterCommands(program: Command): void {
  const writers = program.command('writers').description('services that tell memories, and how much their word counts')
  writers.command('list').action(
    action(async ({ client, output }) => {
      const data = await collect(client.writers.each(wholePages))
      output.show({ data }, () => table(['service', 'status', 'authority', 'key', 'id'], data.map(toRow)))
    }),
  )
  withRules(writers.command('add <service>'))
    .description('register a service')
    .option('--name <name>', 'what people call it')
    .option('--api-key <id>', 'the only key it may speak with')
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
    .description('change a writer; what it told before keeps its weight until you let it be decided again')
    .option('--name <name>', 'what people call it')
    .option('--api-key <id>', 'the only key it may speak with')
    .option('--no-api-key', 'any key of the tenant may speak for it')
    .option('--activate', 'listen to it again')
    .option('--deactivate', 'do not listen to it any more; what it told stays')
    .action(
      action<ChangeOptions>(async ({ client, output }, [name], options) => {
        const writer = await findWriter(client, name)
        const changed = await client.writers.patch(writer.id, toChange(writer, options))
        output.show(changed, () => table(['service', 'status', 'authority', 'key', 'id'], [toRow(changed)]))
        if (options.apiKey === false || options.activate) warnIfUnbound(changed)
      }),
    )
  withRules(writers.command('preview <writer>'))
    .description('what other rules would decide; nothing is stored')
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
          const summary = `${answer.claims} claims looked at, ${answer.changed} would change${more}`
          return rows.length === 0 ? summary : `${summary}\n${table(['claim', 'subject', 'key', 'from', 'to'], rows)}`
        })
      }),
    )
  writers
    .command('reresolve <writer>')
    .description('decide the claims of a writer again, with its rules of today')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ client, output }, [name], { wait }) => {
        const { id } = await findWriter(client, name)
        const started = await client.writers.reresolve(id)
        if (!wait) return output.show(started, () => started.jobId)
        const job = await waitForJob(client, started.jobId)
        const { decided = 0, changed = 0 } = (job.result ?? {}) as { decided?: number; changed?: number }
        output.show(job, () => `${decided} claims decided again, ${changed} have another winner`)
        failUnlessCompleted(job.id, job)
      }),
    )
}

function warnIfUnbound({ service_key, api_key_id }: Writer): void {
  if (api_key_id !== null) return
  warn(
    `every key with memory:write can speak for ${service_key}. To bind it: colophon writers change ${service_key} --api-key ID`,
  )
}

function withRules(command: Command): Command {
  return command
    .option('--priority <number>', 'how much its word counts, 0 to 100 (50 for a new writer)')
    .option('--authority <rule...>', `its word on one kind of thing: preference=90, or preference=default`)
}

/** What is not named stays as it is; the API itself replaces the rules as a whole. */
function changeRules(rules: Writer['authority_rules'], { priority, authority = [] }: RuleOptions): AuthorityRules {
  const byCategory = new Map(Object.entries(rules.categories))
  for (const rule of authority) {
    const [category = '', value = ''] = rule.split('=')
    if (!isCategory(category))
      throw new CliError(`--authority begins with one of ${categories.join(', ')}.`, exitCodes.usage)
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
  if (activate && deactivate) throw new CliError('Give --activate or --deactivate, not both.', exitCodes.usage)
  const isRuled = priority !== undefined || authority !== undefined
  const change = {
    ...(name === undefined ? {} : { display_name: name }),
    ...(apiKey === undefined ? {} : { api_key_id: apiKey === false ? null : apiKey }),
    ...(isRuled ? { authority_rules: changeRules(writer.authority_rules, options) } : {}),
    ...(activate || deactivate ? { is_active: activate === true } : {}),
  }
  if (Object.keys(change).length === 0) throw new CliError('Say what to change; --help shows how.', exitCodes.usage)
  return change
}

async function findWriter(client: Client, name: string | undefined): Promise<Writer> {
  for await (const writer of client.writers.each(wholePages))
    if (writer.service_key === name || writer.id === name) return writer
  throw new CliError('writer_not_found: There is no such writer.\n  See: writers list', exitCodes.notFound)
}

function toRow({ id, service_key, display_name, authority_rules, api_key_id, is_active }: Writer): string[] {
  const { default_priority, categories: special } = authority_rules
  const authority = [String(default_priority), ...Object.entries(special).map(([name, value]) => `${name}=${value}`)]
  const service = display_name === null ? service_key : `${service_key} (${display_name})`
  return [service, is_active ? 'active' : 'inactive', authority.join(' '), api_key_id ?? 'any', id]
}
