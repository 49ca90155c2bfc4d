import type { Command } from 'commander'
import { table } from '../output.ts'
import { action } from '../run.ts'
import { failUnlessCompleted, type Job, waitForJob, waitOption } from '../wait-for-job.ts'

/** jobs show. The other commands about jobs are there already: this joins their group. */
export function addJobShowCommand(program: Command): void {
  const jobs =
    program.commands.find((command) => command.name() === 'jobs') ??
    program.command('jobs').description('background work')
  jobs
    .command('show <id>')
    .description('where a job stands, and what came of it')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ caller, output }, [id = ''], { wait }) => {
        const path = `/v1/host/colophon/jobs/${encodeURIComponent(id)}`
        const job = wait ? await waitForJob(caller, id) : ((await caller.call('GET', path)) as Job)
        output.show(job, () => describe(job))
        if (wait) failUnlessCompleted(job.id, job.status, job.error)
      }),
    )
}

function describe({ id, error, ...facts }: Job): string {
  const shown = Object.entries(facts).filter(([, value]) => value !== undefined && value !== null)
  const rows = [
    ...shown.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
    ...(error ? [['error', `${error.code}: ${error.message}`]] : []),
  ]
  return table(['job', id], rows)
}
