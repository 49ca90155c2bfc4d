import type { Command } from 'commander'
import type { QuotaChange, TenantQuotas } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { table } from '../output.ts'

const forOperator = { operator: true }

/** tenants list, create, disable, enable, quotas. With --url, they need the operator key. */
export function addTenantCommands(program: Command): void {
  const tenants = program.command('tenants').description('tenants (needs the operator key)')
  tenants
    .command('list')
    .description('list tenants')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.tenants.list()
        const rows = answer.tenants.map((tenant) => [tenant.id, tenant.status, tenant.createdAt])
        output.show(answer, () => table(['tenant', 'status', 'created'], rows))
      }, forOperator),
    )
  tenants
    .command('create <id>')
    .description('create a tenant and print its first key')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const made = await client.tenants.create(id)
        output.show(made, () => `tenant ${made.id}\nkey (shown once): ${made.key.key}`)
      }, forOperator),
    )
  for (const [verb, description] of [
    ['disable', 'refuse all keys of a tenant; its data is kept'],
    ['enable', 'accept the keys of a disabled tenant again'],
  ] as const) {
    tenants
      .command(`${verb} <id>`)
      .description(description)
      .action(
        action(async ({ client, output }, [id = '']) => {
          const tenant = await client.tenants[verb](id)
          output.show(tenant, () => `${tenant.id} is ${tenant.status}`)
        }, forOperator),
      )
  }
  tenants
    .command('quotas <id>')
    .description('show the quotas of a tenant, or set some')
    .option('--set <quotas...>', 'set quotas, such as entries=1000; the value default resets one')
    .action(
      action<{ set?: string[] }>(async ({ client, output }, [id = ''], { set = [] }) => {
        const change = parseChange(set)
        const isRead = Object.keys(change).length === 0
        const view = isRead ? await client.tenants.quotas(id) : await client.tenants.setQuotas(id, change)
        output.show(view, () => describeQuotas(view))
      }, forOperator),
    )
}

/** `entries=1000` or `entries=default`. The server checks names and values. */
function parseChange(given: readonly string[]): QuotaChange {
  const pairs = given.map((text) => {
    const [, name, value] = /^(\w+)=(\d+|default)$/.exec(text) ?? []
    if (name === undefined || value === undefined)
      throw new CliError(`--set ${text} must be a quota and a whole number, such as entries=1000`, exitCodes.usage)
    return [name, value === 'default' ? null : Number(value)]
  })
  return Object.fromEntries(pairs) as QuotaChange
}

function describeQuotas({ quotas, set }: TenantQuotas): string {
  const rows = Object.entries(quotas).map(([name, limit]) => [
    name,
    String(limit),
    (set as readonly string[]).includes(name) ? 'set' : 'default',
  ])
  return table(['quota', 'limit', 'from'], rows)
}
