import type { Command } from 'commander'
import { action } from '../action.ts'
import { table } from '../output.ts'

const forOperator = { operator: true }

/** tenants list, create, disable, enable. With --url, they need the operator key. */
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
}
