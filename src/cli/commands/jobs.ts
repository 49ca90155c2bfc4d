import type { Command } from 'commander'
import type { Job } from '../../client/index.ts'
import { action } from '../action.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { table } from '../output.ts'

/** jobs list, show, retry, cancel. */
export function addJobCommands(program: Command): void {
  const jobs = program.command('jobs').description('background jobs')
  jobs
    .command('list')
    .description('list jobs, newest first')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.jobs.list()
        const rows = answer.jobs.map((job) => [job.id, job.kind, job.status, job.createdAt])
        output.show(answer, () => table(['id', 'kind', 'status', 'created'], rows))
      }),
    )
  jobs
    .command('show <id>')
    .description('show the state of a job, and its result or error')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ client, output }, [id = ''], { wait }) => {
        const job = wait ? await waitForJob(client, id) : await client.jobs.get(id)
        output.show(job, () => describe(job))
        if (wait) failUnlessCompleted(job.id, job)
      }),
    )
  for (const [verb, description] of [
    ['retry', 'queue a dead or cancelled job again'],
    ['cancel', 'cancel a job that has not ended'],
  ] as const) {
    jobs
      .command(`${verb} <id>`)
      .description(description)
      .action(
        action(async ({ client, output }, [id = '']) => {
          const job = await client.jobs[verb](id)
          output.show(job, () => `${job.id} is ${job.status}`)
        }),
      )
  }
}

function describe({ id, error, ...facts }: Job): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  const rows = [
    ...shown.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ...(error ? [['error', `${error.code}: ${error.message}`]] : []),
  ]
  return table(['job', id], rows)
}
