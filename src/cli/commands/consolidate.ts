import type { Command } from 'commander'
import type { ConsolidationDryRun } from '../../client/index.ts'
import { action } from '../action.ts'
import { failUnlessCompleted, notePendingJob, numbersOf, waitForJob, waitOption } from '../job-outcome.ts'
import { table } from '../output.ts'
import { checkHasEntries } from './compactions.ts'

type ConsolidateOptions = { dryRun?: true; model?: true; wait?: true }

/** consolidate. What became one is shown and undone by `compactions`. */
export function addConsolidateCommand(program: Command): void {
  program
    .command('consolidate <ref>')
    .description('merge the entries of a ref that say the same; compactions lists the merges, and each can be undone')
    .option('--dry-run', 'only show what would become one, and why')
    .option('--model', 'also ask the model of the server about entries that the rules leave apart')
    .option(...waitOption)
    .action(
      action<ConsolidateOptions>(async ({ client, output, isEmbedded }, [memoryRef = ''], options) => {
        await checkHasEntries(client, memoryRef)
        const draft = { memoryRef, ...(options.model ? { model: true } : {}) }
        if (options.dryRun) {
          const planned = await client.consolidations.dryRun(draft)
          output.show(planned, () => describePlan(planned))
          return
        }
        const started = await client.consolidations.request(draft)
        if (options.wait !== true) {
          output.show(started, () => started.jobId)
          notePendingJob(started.jobId, isEmbedded)
          return
        }
        const job = await waitForJob(client, started.jobId)
        const numbers = Object.fromEntries(numbersOf(job))
        output.show(
          { ...started, status: job.status, result: job.result },
          () => `${numbers.inputCount ?? 0} entries became ${numbers.outputCount ?? 0}`,
        )
        failUnlessCompleted(job.id, job)
      }),
    )
}

function describePlan({ inputCount, outputCount, merges, questions }: ConsolidationDryRun): string {
  const rows = merges.map(({ reason, keptId, sourceIds }) => [reason, String(sourceIds.length), keptId])
  const title = `${inputCount} entries would become ${outputCount}`
  const asked = questions === undefined ? [] : [`The model would be asked about ${questions} pairs.`]
  return [title, ...asked, table(['reason', 'entries', 'kept'], rows)].join('\n')
}
