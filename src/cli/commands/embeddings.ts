import type { Command } from 'commander'
import type { EmbeddingsStatus } from '../../client/index.ts'
import { action } from '../action.ts'
import { failUnlessCompleted, notePendingJob, numbersOf, waitForJob, waitOption } from '../job-outcome.ts'

/** embeddings status, rebuild. */
export function addEmbeddingsCommands(program: Command): void {
  const embeddings = program.command('embeddings').description('vectors for search by meaning')
  embeddings
    .command('status')
    .description('show the embedding model, and how many entries have a vector')
    .action(
      action(async ({ client, output }) => {
        const status = await client.embeddings.status()
        output.show(status, () => describe(status))
      }),
    )
  embeddings
    .command('rebuild')
    .description('compute all vectors again')
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

const methods = {
  scan: 'comparing the newest vectors',
  codes: 'codes of the vectors',
  hnsw: 'the index of pgvector',
} as const

function describe(status: EmbeddingsStatus): string {
  if (!status.configured) return 'no embedder: search matches words only'
  const { model, dimensions, working, failure, vectors, waiting, otherVectors, method } = status
  const state = working ? 'works' : `does not work (${failure ?? 'unknown'}): search matches words only`
  return [
    `${model}, ${dimensions ?? '?'} dimensions: ${state}`,
    `${vectors} vectors, ${waiting} versions pending, ${otherVectors} vectors of other models`,
    `large refs are searched by ${methods[method]}`,
  ].join('\n')
}
