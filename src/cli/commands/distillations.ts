import type { Command } from 'commander'
import type { Client, Distillation, DistillationDryRun } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitForJob, waitOption } from '../job-outcome.ts'
import { pageTable, printable, table } from '../output.ts'

type DistillOptions = { dryRun?: true; wait?: true; tokenBudget?: number }
type ListOptions = { ref?: string; limit?: number; cursor?: string }

/** distill; distillations list, show, undo. */
export function addDistillationCommands(program: Command): void {
  program
    .command('distill <ref>')
    .description('make one text of all entries of a ref, within a token budget; the entries stay')
    .option('--token-budget <count>', 'the largest number of tokens of entries and text together')
    .option('--dry-run', 'only show what would be read, and the smallest budget')
    .option(...waitOption)
    .action(
      action<DistillOptions>(async ({ client, output, isEmbedded }, [memoryRef = ''], options) => {
        await checkHasEntries(client, memoryRef)
        const body = { memoryRef, tokenBudget: options.tokenBudget }
        if (options.dryRun) {
          const planned = await client.distillations.dryRun(body)
          output.show(planned, () => describePlan(planned))
          return
        }
        const { id, jobId } = await client.distillations.request(body)
        if (options.wait !== true) {
          output.show({ id, jobId }, () => id)
          notePendingJob(jobId, isEmbedded)
          return
        }
        const job = await waitForJob(client, jobId)
        const distillation = await client.distillations.get(id)
        const archive = await archiveOf(client, distillation)
        output.show({ ...distillation, archive }, () => describe(distillation, archive))
        failUnlessCompleted(job.id, job)
      }),
    )
  const distillations = program.command('distillations').description('distillations: archives of whole refs')
  distillations
    .command('list')
    .description('list distillations, newest first')
    .option('--ref <ref>', 'only distillations of this ref')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { ref, limit, cursor }) => {
        const page = await client.distillations.list({ memoryRef: ref, limit, cursor })
        const rows = page.distillations.map(({ at, id, memoryRef, status, sourceCount, tokensUsed, tokenBudget }) => [
          at,
          id,
          printable(memoryRef),
          status,
          String(sourceCount),
          `${tokensUsed ?? 0} of ${tokenBudget}`,
        ])
        const head = ['when', 'id', 'ref', 'status', 'sources', 'tokens']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  distillations
    .command('show <id>')
    .description('show one distillation with its archive and its sources')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const distillation = await client.distillations.get(id)
        const archive = await archiveOf(client, distillation)
        output.show({ ...distillation, archive }, () => describe(distillation, archive))
      }),
    )
  distillations
    .command('undo <id>')
    .description('end the archive; the entries are as they were')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const distillation = await client.distillations.undo(id)
        output.show(distillation, () => describe(distillation, null))
      }),
    )
}

/** A mistyped ref has no entries. Without this check the command would do nothing, and report success. */
async function checkHasEntries(client: Client, memoryRef: string): Promise<void> {
  const { entries } = await client.memory.list(memoryRef, { limit: 1 })
  if (entries.length === 0)
    throw new CliError('This memoryRef has no entries. To list refs: colophon refs', exitCodes.notFound)
}

/** The distilled text; null when it was undone or has expired. */
async function archiveOf(client: Client, { memoryRef, archiveId, status }: Distillation): Promise<string | null> {
  if (archiveId === null || status !== 'completed') return null
  const archive = await client.memory.get(memoryRef, archiveId).catch(() => null)
  return archive?.content ?? null
}

function describePlan({ sourceCount, inputTokens, minimumRequired, tokenBudget }: DistillationDryRun): string {
  const title = `${sourceCount} entries have ${inputTokens} tokens`
  return `${title}; the smallest budget is ${minimumRequired}, this one is ${tokenBudget}`
}

function describe(distillation: Distillation, archive: string | null): string {
  const { id, memoryRef, status, archiveId, archiveChecksum, sourceCount, sourceIds = [] } = distillation
  const rows = [
    ['ref', printable(memoryRef)],
    ['status', status],
    ['archive', archiveId ?? ''],
    ['checksum', archiveChecksum ?? ''],
    ['tokens', `${distillation.tokensUsed ?? 0} of ${distillation.tokenBudget}`],
    ['run', distillation.runId ?? ''],
    ['sources', String(sourceCount)],
    ...sourceIds.map((source) => ['', source]),
  ]
  const text = archive === null ? [] : ['', ...archive.split('\n').map(printable)]
  return [table(['distillation', id], rows), ...text].join('\n')
}
