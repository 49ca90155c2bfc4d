import { type Command, Option } from 'commander'
import { type MissedPolicy, missedPolicies } from '../../core/jobs/schedule.ts'
import { action } from '../action.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { parseJson } from '../json-input.ts'
import { table } from '../output.ts'

type AddOptions = {
  cron?: string
  timezone?: string
  at?: string
  delayMs?: number
  kind?: string
  payload?: string
  workflow?: string
  inputs?: string
  missed?: MissedPolicy
}

/** schedules list, add, pause, resume, run, remove. */
export function addScheduleCommands(program: Command): void {
  const schedules = program.command('schedules').description('jobs and runs that start at due times')
  schedules
    .command('list')
    .description('list schedules, with their next and last due times')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.schedules.list()
        const rows = answer.schedules.map((schedule) => [
          schedule.id,
          [schedule.cron ?? `at ${schedule.at}`, schedule.timezone ?? ''].join(' ').trim(),
          schedule.kind,
          schedule.nextDueAt ?? schedule.status,
          schedule.lastDueAt ?? 'never',
        ])
        output.show(answer, () => table(['id', 'due (UTC, if it names no zone)', 'kind', 'next', 'last'], rows))
      }),
    )
  schedules
    .command('add <id>')
    .description('create or replace a schedule')
    .option('--cron <expression>', 'due at each time of a cron expression of five or six fields')
    .option('--timezone <zone>', 'the time zone of --cron, such as Europe/Berlin; UTC by default')
    .option('--at <instant>', 'due once, at this instant')
    .option('--delay-ms <number>', 'due once, so many milliseconds from now')
    .option('--kind <kind>', 'the kind of job to start, such as colophon.re-redact')
    .option('--payload <json>', 'the payload of the job')
    .option('--workflow <id>', 'the workflow to run')
    .option('--inputs <json>', 'the inputs of the run')
    .addOption(
      new Option('--missed <policy>', 'after downtime: one job for all missed times, or none').choices(missedPolicies),
    )
    .action(
      action<AddOptions>(async ({ client, output }, [id = ''], options) => {
        const { payload, workflow: workflowId, inputs, ...rest } = options
        const body = {
          id,
          ...rest,
          workflowId,
          ...(payload === undefined ? {} : { payload: parseJson(payload, '--payload') }),
          ...(inputs === undefined ? {} : { inputs: parseJson(inputs, '--inputs') as Record<string, unknown> }),
        }
        const made = await client.schedules.put(body)
        output.show(made, () => `${made.id} runs next at ${made.nextDueAt}`)
      }),
    )
  for (const verb of ['pause', 'resume'] as const) {
    schedules
      .command(`${verb} <id>`)
      .description(`${verb} a schedule`)
      .action(
        action(async ({ client, output }, [id = '']) => {
          const changed = await client.schedules[verb](id)
          const next = changed.nextDueAt === undefined ? '' : `, next at ${changed.nextDueAt}`
          output.show(changed, () => `${changed.id} is ${changed.status}${next}`)
        }),
      )
  }
  schedules
    .command('run <id>')
    .description('start the job of a schedule now; its due times stay')
    .option(...waitOption)
    .option('--dry-run', 'only say what the job would do; nothing is stored')
    .action(
      action<{ wait?: true; dryRun?: true }>(async ({ client, output }, [id = ''], { wait, dryRun }) => {
        if (dryRun) {
          const job = await waitForJob(client, (await client.schedules.dryRun(id)).jobId)
          output.show(job, () => `${id} ${(job.result as { summary?: string } | null)?.summary}`)
          return failUnlessCompleted(job.id, job)
        }
        const started = await client.schedules.run(id)
        if (!wait) return output.show(started, () => started.jobId)
        const job = await waitForJob(client, started.jobId)
        output.show(job, () => `${job.id} is ${job.status}: ${JSON.stringify(job.result)}`)
        failUnlessCompleted(job.id, job)
      }),
    )
  schedules
    .command('remove <id>')
    .description('remove a schedule')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const answer = await client.schedules.delete(id)
        output.show(answer, () => (answer.deleted ? 'removed' : 'not found'))
      }),
    )
}
