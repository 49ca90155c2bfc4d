import type { Command } from 'commander'
import type { Client, Compaction, CompactionDryRun } from '../../client/index.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitForJob, waitOption } from '../job-outcome.ts'
import { pageTable, printable, table } from '../output.ts'
import { action } from '../run.ts'

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
    .description('distil the entries of a ref into fewer; what they said is kept as history and can be brought back')
    .option('--dry-run', 'only say what would be compacted')
    .option('--max-input <count>', 'how many entries may become one')
    .option('--max-output <bytes>', 'how many bytes that one may have')
    .option('--min-age-days <days>', 'leave younger entries as they are')
    .option('--keep-newest <count>', 'leave so many of the newest entries as they are')
    .option(...waitOption)
    .action(
      action<CompactOptions>(async ({ client, output, isEmbedded }, [memoryRef = ''], options) => {
        await checkThere(client, memoryRef)
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
  const compactions = program.command('compactions').description('entries that became one')
  compactions
    .command('list')
    .description('compactions, newest first')
    .option('--ref <ref>', 'only of this ref')
    .option('-n, --limit <count>', 'how many', '20')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ client, output }, _args, { ref, limit, cursor }) => {
        const page = await client.compactions.list({ memoryRef: ref, limit, cursor })
        const rows = page.compactions.map(({ at, id, memoryRef, status, sourceCount, outputId }) => [
          at,
          id,
          printable(memoryRef),
          status,
          String(sourceCount),
          outputId ?? '',
        ])
        const head = ['when', 'id', 'ref', 'status', 'sources', 'output']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  compactions
    .command('show <id>')
    .description('one compaction, with every entry that went into it')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const compaction = await client.compactions.get(id)
        output.show(compaction, () => describe(compaction))
      }),
    )
  compactions
    .command('undo <id>')
    .description('bring back what went into it and end what came out')
    .action(
      action(async ({ client, output }, [id = '']) => {
        const compaction = await client.compactions.undo(id)
        output.show(compaction, () => describe(compaction))
      }),
    )
}

/** A name that was mistyped has nothing under it, and nothing would be done without a word. */
async function checkThere(client: Client, memoryRef: string): Promise<void> {
  const { entries } = await client.memory.list(memoryRef, { limit: 1 })
  if (entries.length === 0)
    throw new CliError('There is nothing under this memoryRef. See: colophon refs', exitCodes.notFound)
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

function describe({ id, memoryRef, status, outputId, sourceCount, sourceIds = [], byteSize, runId }: Compaction) {
  const rows = [
    ['ref', printable(memoryRef)],
    ['status', status],
    ['output', outputId ?? ''],
    ['bytes', String(byteSize)],
    ['run', runId ?? ''],
    ['sources', String(sourceCount)],
    ...sourceIds.map((source) => ['', source]),
  ]
  return table(['compaction', id], rows)
}
