import type { Command } from 'commander'
import type { EmbeddingsStatus } from '../../app/embeddings/manage.ts'
import { action } from '../run.ts'
import { failUnlessCompleted, numbersOf, tellWhoGoesOn, waitForJob, waitOption } from '../wait-for-job.ts'

const base = '/v1/host/colophon/embeddings'

/** embeddings status, rebuild. */
export function addEmbeddingsCommands(program: Command): void {
  const isEmbedded = () => !(program.opts<{ url?: string }>().url ?? process.env.COLOPHON_URL)
  const embeddings = program.command('embeddings').description('vectors that find what means the same in other words')
  embeddings
    .command('status')
    .description('which embedder there is, and how far it is')
    .action(
      action(async ({ caller, output }) => {
        const status = (await caller.call('GET', base)) as EmbeddingsStatus
        output.show(status, () => describe(status))
      }),
    )
  embeddings
    .command('rebuild')
    .description('make new vectors of everything')
    .option(...waitOption)
    .action(
      action<{ wait?: true }>(async ({ caller, output }, _args, options) => {
        const { jobId } = (await caller.call('POST', `${base}:rebuild`)) as { jobId: string }
        if (options.wait !== true) {
          output.show({ jobId }, () => jobId)
          tellWhoGoesOn(jobId, isEmbedded())
          return
        }
        const { versions } = (await caller.call('GET', base)) as EmbeddingsStatus
        const job = await waitForJob(caller, jobId, (seen, progress) => {
          const done = numbersOf(seen).reduce((sum, [, value]) => sum + value, 0)
          progress.at(Math.min(done, versions), versions)
        })
        output.show({ jobId, result: job.result }, () => jobId)
        failUnlessCompleted(job.id, job.status, job.error)
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
