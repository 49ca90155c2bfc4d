import type { Command } from 'commander'
import { action } from '../action.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { parseJson } from '../json-input.ts'
import { table } from '../output.ts'

/** schedules list, add, pause, resume, run, remove. */
export function addScheduleCommands(program: Command): void {
  const schedules = program.command('schedules').description('recurring jobs')
  schedules
    .command('list')
    .description('list schedules, with their next and last due times')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.schedules.list()
        const rows = answer.schedules.map((schedule) => [
          schedule.id,
          schedule.cron,
          schedule.kind,
          schedule.nextDueAt ?? schedule.status,
          schedule.lastDueAt ?? 'never',
        ])
        output.show(answer, () => table(['id', 'cron (UTC)', 'kind', 'next', 'last'], rows))
      }),
    )
  schedules
    .command('add <id>')
    .description('create or replace a schedule')
    .requiredOption('--cron <expression>', 'five or six fields, UTC')
    .requiredOption('--kind <kind>', 'the kind of job to start, such as colophon.re-redact')
    .option('--payload <json>', 'the payload of the job')
    .action(
      action<{ cron: string; kind: string; payload?: string }>(async ({ client, output }, [id = ''], options) => {
        const { cron, kind, payload } = options
        const body = { id, cron, kind, ...(payload === undefined ? {} : { payload: parseJson(payload, '--payload') }) }
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
    .action(
      action<{ wait?: true }>(async ({ client, output }, [id = ''], { wait }) => {
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
