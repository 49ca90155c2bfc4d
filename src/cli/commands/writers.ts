import type { Command } from 'commander'
import type { PreviewItem } from '../../app/provenance/claims.ts'
import { categories, isCategory } from '../../core/provenance/category.ts'
import { type AuthorityRules, defaultRules } from '../../core/provenance/writer.ts'
import type { Caller } from '../caller.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { table } from '../output.ts'
import { withQuery } from '../query.ts'
import { action } from '../run.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../wait-for-job.ts'

const base = '/v1/tenant/service-writers'
type Writer = {
  id: string
  service_key: string
  display_name: string | null
  authority_rules: AuthorityRules
  api_key_id: string | null
  is_active: boolean
}

type RuleOptions = { priority?: string; authority?: string[] }
type WriterOptions = RuleOptions & { name?: string; apiKey?: string | false; activate?: true; deactivate?: true }

/** writers list, add, change, preview, reresolve. A writer is named by its service or by its id. */
export function addWriterCommands(program: Command): void {
  const writers = program.command('writers').description('services that tell memories, and how much their word counts')
  writers.command('list').action(
    action(async ({ caller, output }) => {
      const data = await allWriters(caller)
      output.show({ data }, () => table(['service', 'status', 'authority', 'key', 'id'], data.map(toRow)))
    }),
  )
  withRules(writers.command('add <service>'))
    .description('register a service')
    .option('--name <name>', 'what people call it')
    .option('--api-key <id>', 'the only key it may speak with')
    .action(
      action<WriterOptions>(async ({ caller, output }, [service], options) => {
        const rules = changeRules(defaultRules, options)
        const { name, apiKey } = options
        const draft = { service_key: service, display_name: name, api_key_id: apiKey, authority_rules: rules }
        const writer = (await caller.call('POST', base, draft)) as Writer
        output.show(writer, () => writer.id)
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
      action<WriterOptions>(async ({ caller, output }, [name], options) => {
        const writer = await findWriter(caller, name)
        const draft = toChange(writer, options)
        const changed = (await caller.call('PATCH', `${base}/${encodeURIComponent(writer.id)}`, draft)) as Writer
        output.show(changed, () => table(['service', 'status', 'authority', 'key', 'id'], [toRow(changed)]))
      }),
    )
  withRules(writers.command('preview <writer>'))
    .description('what other rules would decide; nothing is stored')
    .action(
      action<RuleOptions>(async ({ caller, output }, [name], options) => {
        const writer = await findWriter(caller, name)
        const path = `/v1/host/colophon/writers/${encodeURIComponent(writer.id)}:preview`
        const draft = { authority_rules: changeRules(writer.authority_rules, options) }
        const answer = (await caller.call('POST', path, draft)) as {
          claims: number
          changed: number
          changes: PreviewItem[]
        }
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
      action<{ wait?: true }>(async ({ caller, output }, [name], { wait }) => {
        const { id } = await findWriter(caller, name)
        const path = `${base}/${encodeURIComponent(id)}:reresolve`
        const started = (await caller.call('POST', path)) as { jobId: string }
        if (!wait) return output.show(started, () => started.jobId)
        const job = await waitForJob(caller, started.jobId)
        const { decided = 0, changed = 0 } = (job.result ?? {}) as { decided?: number; changed?: number }
        output.show(job, () => `${decided} claims decided again, ${changed} have another winner`)
        failUnlessCompleted(job.id, job.status, job.error)
      }),
    )
}

function withRules(command: Command): Command {
  return command
    .option('--priority <number>', 'how much its word counts, 0 to 100 (50 for a new writer)')
    .option('--authority <rule...>', `its word on one kind of thing: preference=90, or preference=default`)
}

/** What is not named stays as it is; the API itself replaces the rules as a whole. */
function changeRules(rules: AuthorityRules, { priority, authority = [] }: RuleOptions): AuthorityRules {
  const byCategory = new Map(Object.entries(rules.categories))
  for (const rule of authority) {
    const [category = '', value = ''] = rule.split('=')
    if (!isCategory(category))
      throw new CliError(`--authority begins with one of ${categories.join(', ')}.`, exitCodes.usage)
    if (value === 'default') byCategory.delete(category)
    else byCategory.set(category, toPriority('--authority', value))
  }
  return {
    default_priority: priority === undefined ? rules.default_priority : toPriority('--priority', priority),
    categories: Object.fromEntries(byCategory),
  }
}

function toPriority(option: string, value: string): number {
  if (/^\d{1,3}$/.test(value) && Number(value) <= 100) return Number(value)
  throw new CliError(`${option} needs a whole number from 0 to 100.`, exitCodes.usage)
}

function toChange(writer: Writer, options: WriterOptions): object {
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

async function findWriter(caller: Caller, name: string | undefined): Promise<Writer> {
  const found = (await allWriters(caller)).find(({ id, service_key }) => service_key === name || id === name)
  if (found) return found
  throw new CliError('writer_not_found: There is no such writer.\n  See: writers list', exitCodes.notFound)
}

async function allWriters(caller: Caller): Promise<Writer[]> {
  const found: Writer[] = []
  for (let cursor: string | undefined; ; ) {
    const path = withQuery(base, { limit: '500', cursor })
    const page = (await caller.call('GET', path)) as { data: Writer[]; cursor?: string }
    found.push(...page.data)
    cursor = page.cursor
    if (cursor === undefined) return found
  }
}

function toRow({ id, service_key, display_name, authority_rules, api_key_id, is_active }: Writer): string[] {
  const { default_priority, categories: special } = authority_rules
  const authority = [String(default_priority), ...Object.entries(special).map(([name, value]) => `${name}=${value}`)]
  const service = display_name === null ? service_key : `${service_key} (${display_name})`
  return [service, is_active ? 'active' : 'inactive', authority.join(' '), api_key_id ?? 'any', id]
}
