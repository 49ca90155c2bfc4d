import type { Command } from 'commander'
import type { EmbeddingsStatus } from '../../client/index.ts'
import { failUnlessCompleted, notePendingJob, numbersOf, waitForJob, waitOption } from '../job-outcome.ts'
import { action } from '../run.ts'

/** embeddings status, rebuild. */
export function addEmbeddingsCommands(program: Command): void {
  const embeddings = program.command('embeddings').description('vectors that find what means the same in other words')
  embeddings
    .command('status')
    .description('which embedder there is, and how far it is')
    .action(
      action(async ({ client, output }) => {
        const status = await client.embeddings.status()
        output.show(status, () => describe(status))
      }),
    )
  embeddings
    .command('rebuild')
    .description('make new vectors of everything')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ client, output, isEmbedded }, _args, options) => {
        const { jobId } = await client.embeddings.rebuild()
        if (options.wait !== true) {
          output.show({ jobId }, () => jobId)
          notePendingJob(jobId, isEmbedded)
          return
        }
        const { versions } = await client.embeddings.status()
        const job = await waitForJob(client, jobId, (seen, progress) => {
          const done = numbersOf(seen).reduce((sum, [, value]) => sum + value, 0)
          progress.at(Math.min(done, versions), versions)
        })
        output.show({ jobId, result: job.result }, () => jobId)
        failUnlessCompleted(job.id, job)
      }),
    )
}

function describe(status: EmbeddingsStatus): string {
  if (!status.configured) return 'no embedder: search is by words'
  const { model, dimensions, working, failure, vectors, waiting, otherVectors } = status
  const state = working ? 'works' : `does not work (${failure ?? 'unknown'}): search is by words`
  return [
    `${model}, ${dimensions ?? '?'} dimensions: ${state}`,
    `${vectors} vectors, ${waiting} versions wait, ${otherVectors} vectors of other models`,
  ].join('\n')
}
