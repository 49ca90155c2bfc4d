import type { Command } from 'commander'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { waitForJob } from '../job-outcome.ts'
import { table } from '../output.ts'

/** The result of a redaction pass. */
type RedactionReport = Record<
  'scanned' | 'changed' | 'jobsChanged' | 'runsChanged' | 'recordsChanged' | 'sourcesChanged',
  number
>

/** secrets list, put, remove; redact. */
export function addSecretCommands(program: Command): void {
  const secrets = program
    .command('secrets')
    .description('the vault: values that are redacted in everything that is stored')
  secrets
    .command('list')
    .description('list the ids of the secrets')
    .action(
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
          throw new CliError('Pipe in the value: an argument would stay in the shell history.', exitCodes.usage)
        }
        let value = ''
        for await (const chunk of process.stdin) value += String(chunk)
        await client.secrets.put(id, { value: value.replace(/\n$/, '') })
        output.show(
          { id },
          () =>
            'stored; its value is redacted in everything that is written from now on (for what is stored: colophon redact)',
        )
      }),
    )
  secrets
    .command('remove <id>')
    .description('remove a secret: its value is no longer redacted')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.secrets.delete(id)
        output.show(answer, () => (answer.deleted ? 'removed' : 'not found'))
      }),
    )
  addRedactCommand(program)
}

function addRedactCommand(program: Command): void {
  program
    .command('redact')
    .description('apply the current secrets and redaction rules to all stored data')
    .option('--dry-run', 'only count what would change')
    .action(
      action<{ dryRun?: boolean }>(async ({ client, output }, _args, { dryRun = false }) => {
        const { jobId } = await client.rules.apply({ dryRun })
        const job = await waitForJob(client, jobId)
        if (job.status !== 'completed')
          throw new CliError(`the redaction pass is ${job.status}: ${job.error?.message ?? ''}`, exitCodes.refused)
        const report = job.result as RedactionReport
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
}
