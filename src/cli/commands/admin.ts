import type { Command } from 'commander'
import { scopes } from '../../core/scopes.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { table } from '../output.ts'
import { action } from '../run.ts'
import { type Job, waitForJob } from '../wait-for-job.ts'

const host = '/v1/host/colophon'
const keyPath = (id = '') => `${host}/keys/${encodeURIComponent(id)}`
const secretPath = (id = '') => `${host}/secrets/${encodeURIComponent(id)}`

type Key = { id: string; name: string; status: string; scopes: string[]; lastUsedAt?: string; key?: string }
type Tenant = { id: string; status: string; createdAt: string }
type Secret = { id: string; scope: string; updatedAt: string }

/** tenants, keys, secrets, audit. */
export function addAdminCommands(program: Command): void {
  addTenantCommands(program.command('tenants').description('tenants (operator)'))
  addKeyCommands(program.command('keys').description('API keys of the tenant'))
  addJobCommands(program)
  addSecretCommands(program.command('secrets').description('the vault: values that must never be stored'))
  program
    .command('audit')
    .description('the audit chain')
    .command('verify')
    .description('find any record that was edited, removed or cut off')
    .option('--contents', 'also compare stored contents and source events with their digests')
    .action(
      action<{ contents?: boolean }>(async ({ caller, output }, _args, { contents }) => {
        const answer = await caller.call('GET', `/v1/audit/verify${contents ? '?contents=true' : ''}`)
        const { chainValid, toSeq, anomalies } = answer as {
          chainValid: boolean
          toSeq: number
          anomalies: { atSeq: number }[]
        }
        output.show(answer, () =>
          chainValid ? `intact: ${toSeq} records` : `BROKEN at position ${anomalies[0]?.atSeq}`,
        )
        if (!chainValid) throw new CliError('the audit chain is broken', exitCodes.refused)
      }),
    )
}

function addJobCommands(program: Command): void {
  program
    .command('redact')
    .description('go over everything stored with the secrets and rules of today')
    .option('--dry-run', 'only count what would change')
    .action(
      action<{ dryRun?: boolean }>(async ({ caller, output }, _args, { dryRun = false }) => {
        const { jobId } = (await caller.call('POST', `${host}/redactions`, { dryRun })) as { jobId: string }
        const job = await waitForJob(caller, jobId)
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
    action(async ({ caller, output }) => {
      const answer = (await caller.call('GET', `${host}/jobs`)) as { jobs: Job[] }
      const rows = answer.jobs.map((job) => [job.id, job.kind, job.status, job.createdAt])
      output.show(answer, () => table(['id', 'kind', 'status', 'created'], rows))
    }),
  )
  for (const verb of ['retry', 'cancel']) {
    jobs.command(`${verb} <id>`).action(
      action(async ({ caller, output }, [id = '']) => {
        const job = (await caller.call('POST', `${host}/jobs/${encodeURIComponent(id)}:${verb}`)) as Job
        output.show(job, () => `${job.id} is ${job.status}`)
      }),
    )
  }
}

function addTenantCommands(tenants: Command): void {
  const forOperator = { operator: true }
  tenants.command('list').action(
    action(async ({ caller, output }) => {
      const answer = (await caller.call('GET', `${host}/tenants`)) as { tenants: Tenant[] }
      const rows = answer.tenants.map((tenant) => [tenant.id, tenant.status, tenant.createdAt])
      output.show(answer, () => table(['tenant', 'status', 'created'], rows))
    }, forOperator),
  )
  tenants.command('create <id>').action(
    action(async ({ caller, output }, [id]) => {
      const made = (await caller.call('POST', `${host}/tenants`, { id })) as { id: string; key: Key }
      output.show(made, () => `tenant ${made.id}\nkey (shown once): ${made.key.key}`)
    }, forOperator),
  )
  for (const verb of ['disable', 'enable']) {
    tenants.command(`${verb} <id>`).action(
      action(async ({ caller, output }, [id = '']) => {
        const tenant = (await caller.call('POST', `${host}/tenants/${encodeURIComponent(id)}:${verb}`)) as Tenant
        output.show(tenant, () => `${tenant.id} is ${tenant.status}`)
      }, forOperator),
    )
  }
}

function addKeyCommands(keys: Command): void {
  keys.command('list').action(
    action(async ({ caller, output }) => {
      const answer = (await caller.call('GET', `${host}/keys`)) as { keys: Key[] }
      const rows = answer.keys.map((key) => [
        key.id,
        key.name,
        key.status,
        key.lastUsedAt ?? 'never',
        key.scopes.join(' '),
      ])
      output.show(answer, () => table(['id', 'name', 'status', 'last used', 'scopes'], rows))
    }),
  )
  keys
    .command('create <name>')
    .option('-s, --scope <scope...>', `scopes: ${scopes.join(', ')} (all without this)`)
    .option('--expires-at <instant>', 'when it ends')
    .action(
      action<{ scope?: string[]; expiresAt?: string }>(async ({ caller, output }, [name], { scope, expiresAt }) => {
        const made = (await caller.call('POST', `${host}/keys`, { name, scopes: scope ?? scopes, expiresAt })) as Key
        output.show(made, () => `${made.id}\nkey (shown once): ${made.key}`)
      }),
    )
  keys.command('revoke <id>').action(
    action(async ({ caller, output }, [id]) => {
      const key = (await caller.call('DELETE', keyPath(id))) as Key
      output.show(key, () => `${key.id} is ${key.status}`)
    }),
  )
  keys
    .command('rotate <id>')
    .option('--overlap-ms <ms>', 'how long the old key goes on', '0')
    .action(
      action<{ overlapMs: string }>(async ({ caller, output }, [id], { overlapMs }) => {
        const made = (await caller.call('POST', `${keyPath(id)}:rotate`, { overlapMs: Number(overlapMs) })) as Key
        output.show(made, () => `${made.id}\nkey (shown once): ${made.key}`)
      }),
    )
}

function addSecretCommands(secrets: Command): void {
  secrets.command('list').action(
    action(async ({ caller, output }) => {
      const answer = (await caller.call('GET', `${host}/secrets`)) as { secrets: Secret[] }
      const rows = answer.secrets.map((secret) => [secret.id, secret.scope, secret.updatedAt])
      output.show(answer, () => table(['secret', 'scope', 'changed'], rows))
    }),
  )
  secrets
    .command('put <id>')
    .description('store a secret; its value is read from standard input')
    .action(
      action(async ({ caller, output }, [id]) => {
        if (process.stdin.isTTY) {
          throw new CliError('Pipe the value in: as an argument it would stay in the shell history.', exitCodes.usage)
        }
        let value = ''
        for await (const chunk of process.stdin) value += String(chunk)
        await caller.call('PUT', secretPath(id), { value: value.replace(/\n$/, '') })
        output.show({ id }, () => 'stored; it is redacted everywhere from now on')
      }),
    )
  secrets.command('remove <id>').action(
    action(async ({ caller, output }, [id]) => {
      const answer = (await caller.call('DELETE', secretPath(id))) as { deleted: boolean }
      output.show(answer, () => (answer.deleted ? 'removed' : 'nothing there'))
    }),
  )
}
