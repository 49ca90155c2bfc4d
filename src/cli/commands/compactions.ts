import type { Command } from 'commander'
import type { Client, Compaction, CompactionDryRun } from '../../client/index.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitForJob, waitOption } from '../job-outcome.ts'
import { pageTable, printable, table } from '../output.ts'

type CompactOptions = {
  dryRun?: true
  wait?: true
  maxInput?: number
  maxOutput?: number
  minAgeDays?: number
  keepNewest?: number
}
type ListOptions = { ref?: string; limit?: number; cursor?: string }

/** compact; compactions list, show, undo. */
export function addCompactionCommands(program: Command): void {
  program
    .command('compact <ref>')
    .description('summarise the entries of a ref into fewer; the sources stay in history, and it can be undone')
    .option('--dry-run', 'only show what would be compacted')
    .option('--max-input <count>', 'the maximum number of entries that become one')
    .option('--max-output <bytes>', 'the maximum size of a summary')
    .option('--min-age-days <days>', 'keep younger entries as they are')
    .option('--keep-newest <count>', 'keep this many of the newest entries as they are')
    .option(...waitOption)
    .action(
      action<CompactOptions>(async ({ client, output, isEmbedded }, [memoryRef = ''], options) => {
        await checkHasEntries(client, memoryRef)
        const { maxInput: maxInputEntries, maxOutput: maxOutputBytes, minAgeDays, keepNewest } = options
        const body = { memoryRef, maxInputEntries, maxOutputBytes, minAgeDays, keepNewest }
        if (options.dryRun) {
          const planned = await client.compactions.dryRun(body)
          output.show(planned, () => describePlan(planned))
          return
        }
        const { id, jobId } = await client.compactions.request(body)
        if (options.wait !== true) {
          output.show({ id, jobId }, () => id)
          notePendingJob(jobId, isEmbedded)
          return
        }
        const job = await waitForJob(client, jobId)
        const compaction = await client.compactions.get(id)
        output.show({ ...compaction, result: job.result }, () => describe(compaction))
        failUnlessCompleted(job.id, job)
      }),
    )
  const compactions = program.command('compactions').description('compactions: entries that became one')
  compactions
    .command('list')
    .description('list compactions, newest first')
    .option('--ref <ref>', 'only compactions of this ref')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('--cursor <cursor>', 'cursor of the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { ref, limit, cursor }) => {
        const page = await client.compactions.list({ memoryRef: ref, limit, cursor })
        const rows = page.compactions.map(({ at, id, memoryRef, status, reason, sourceCount, outputId }) => [
          at,
          id,
          printable(memoryRef),
          status,
          reason ?? 'summary',
          String(sourceCount),
          outputId ?? '',
        ])
        const head = ['when', 'id', 'ref', 'status', 'why', 'sources', 'output']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  compactions
    .command('show <id>')
    .description('show one compaction with its sources')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const compaction = await client.compactions.get(id)
        output.show(compaction, () => describe(compaction))
      }),
    )
  compactions
    .command('undo <id>')
    .description('restore the sources and end the summary')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const compaction = await client.compactions.undo(id)
        output.show(compaction, () => describe(compaction))
      }),
    )
}

/** A mistyped ref has no entries. Without this check the command would do nothing, and report success. */
export async function checkHasEntries(client: Client, memoryRef: string): Promise<void> {
  const { entries } = await client.memory.list(memoryRef, { limit: 1 })
  if (entries.length === 0)
    throw new CliError('This memoryRef has no entries. To list refs: colophon refs', exitCodes.notFound)
}

function describePlan({ sourceCount, compactions }: CompactionDryRun): string {
  const rows = compactions.map(({ sourceCount: count, bytes, subject, expiresAt }) => [
    String(count),
    String(bytes),
    printable(subject ?? ''),
    expiresAt ?? '',
  ])
  const title = `${sourceCount} entries would become ${compactions.length}`
  return [title, table(['entries', 'bytes', 'subject', 'expires'], rows)].join('\n')
}

function describe(compaction: Compaction) {
  const { id, memoryRef, status, reason, outputId, sourceCount, sourceIds = [], byteSize, runId } = compaction
  const rows = [
    ['ref', printable(memoryRef)],
    ['status', status],
    ...(reason === undefined ? [] : [['why', reason]]),
    ['output', outputId ?? ''],
    ['bytes', String(byteSize)],
    ['run', runId ?? ''],
    ['sources', String(sourceCount)],
    ...sourceIds.map((source) => ['', source]),
  ]
  return table(['compaction', id], rows)
}
