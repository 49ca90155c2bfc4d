import type { Command } from 'commander'
import type { Job } from '../../client/index.ts'
import { failUnlessCompleted, waitForJob, waitOption } from '../job-outcome.ts'
import { table } from '../output.ts'
import { action } from '../run.ts'

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
      action<{ wait?: true }>(async ({ client, output }, [id = ''], { wait }) => {
        const job = wait ? await waitForJob(client, id) : await client.jobs.get(id)
        output.show(job, () => describe(job))
        if (wait) failUnlessCompleted(job.id, job)
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
