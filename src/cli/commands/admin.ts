import type { Command } from 'commander'
import { CliError, exitCodes } from '../exit-codes.ts'
import { waitForJob } from '../job-outcome.ts'
import { table } from '../output.ts'
import { action } from '../run.ts'
import { addAuditCommand } from './audit.ts'

/** tenants, jobs, secrets, audit. */
export function addAdminCommands(program: Command): void {
  addTenantCommands(program.command('tenants').description('tenants (operator)'))
  addJobCommands(program)
  addSecretCommands(program.command('secrets').description('the vault: values that must never be stored'))
  addAuditCommand(program)
}

function addJobCommands(program: Command): void {
  program
    .command('redact')
    .description('go over everything stored with the secrets and rules of today')
    .option('--dry-run', 'only count what would change')
    .action(
      action<{ dryRun?: boolean }>(async ({ client, output }, _args, { dryRun = false }) => {
        const { jobId } = await client.rules.apply({ dryRun })
        const job = await waitForJob(client, jobId)
        if (job.status !== 'completed')
          throw new CliError(`the pass is ${job.status}: ${job.error?.message ?? ''}`, exitCodes.refused)
        const report = job.result as Record<
          'scanned' | 'changed' | 'jobsChanged' | 'runsChanged' | 'recordsChanged' | 'sourcesChanged',
          number
        >
        const others = [
          `${report.jobsChanged} jobs`,
          `${report.runsChanged} runs`,
          `${report.recordsChanged} records`,
          `${report.sourcesChanged} sources`,
        ]
        const verb = dryRun ? 'would change' : 'changed'
        output.show(report, () => `${report.scanned} texts read, ${verb} ${report.changed} and ${others.join(', ')}`)
      }),
    )
  const jobs = program.command('jobs').description('background work')
  jobs.command('list').action(
    action(async ({ client, output }) => {
      const answer = await client.jobs.list()
      const rows = answer.jobs.map((job) => [job.id, job.kind, job.status, job.createdAt])
      output.show(answer, () => table(['id', 'kind', 'status', 'created'], rows))
    }),
  )
  for (const verb of ['retry', 'cancel'] as const) {
    jobs.command(`${verb} <id>`).action(
      action(async ({ client, output }, [id = '']) => {
        const job = await client.jobs[verb](id)
        output.show(job, () => `${job.id} is ${job.status}`)
      }),
    )
  }
}

function addTenantCommands(tenants: Command): void {
  const forOperator = { operator: true }
  tenants.command('list').action(
    action(async ({ client, output }) => {
      const answer = await client.tenants.list()
      const rows = answer.tenants.map((tenant) => [tenant.id, tenant.status, tenant.createdAt])
      output.show(answer, () => table(['tenant', 'status', 'created'], rows))
    }, forOperator),
  )
  tenants.command('create <id>').action(
    action(async ({ client, output }, [id = '']) => {
      const made = await client.tenants.create(id)
      output.show(made, () => `tenant ${made.id}\nkey (shown once): ${made.key.key}`)
    }, forOperator),
  )
  for (const verb of ['disable', 'enable'] as const) {
    tenants.command(`${verb} <id>`).action(
      action(async ({ client, output }, [id = '']) => {
        const tenant = await client.tenants[verb](id)
        output.show(tenant, () => `${tenant.id} is ${tenant.status}`)
      }, forOperator),
    )
  }
}

function addSecretCommands(secrets: Command): void {
  secrets.command('list').action(
    action(async ({ client, output }) => {
      const answer = await client.secrets.list()
      const rows = answer.secrets.map((secret) => [secret.id, secret.scope, secret.updatedAt])
      output.show(answer, () => table(['secret', 'scope', 'changed'], rows))
    }),
  )
  secrets
    .command('put <id>')
    .description('store a secret; its value is read from standard input')
    .action(
      action(async ({ client, output }, [id = '']) => {
        if (process.stdin.isTTY) {
          throw new CliError('Pipe the value in: as an argument it would stay in the shell history.', exitCodes.usage)
        }
        let value = ''
        for await (const chunk of process.stdin) value += String(chunk)
        await client.secrets.put(id, { value: value.replace(/\n$/, '') })
        output.show({ id }, () => 'stored; it is redacted everywhere from now on')
      }),
    )
  secrets.command('remove <id>').action(
    action(async ({ client, output }, [id = '']) => {
      const answer = await client.secrets.delete(id)
      output.show(answer, () => (answer.deleted ? 'removed' : 'nothing there'))
    }),
  )
}
