import type { Command } from 'commander'
import type { DryRun } from '../../app/compaction/request.ts'
import type { CompactionView } from '../../app/compaction/view.ts'
import type { Caller } from '../caller.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { printable, table } from '../output.ts'
import { moreLine, withQuery } from '../query.ts'
import { action } from '../run.ts'
import { failUnlessCompleted, tellWhoGoesOn, waitForJob, waitOption } from '../wait-for-job.ts'

const base = '/v1/host/colophon/compactions'
const compactionPath = (id = '') => `${base}/${encodeURIComponent(id)}`

type CompactOptions = {
  dryRun?: true
  wait?: true
  maxInput?: string
  maxOutput?: string
  minAgeDays?: string
  keepNewest?: string
}
type ListOptions = { ref?: string; limit?: string; cursor?: string }

/** compact; compactions list, show, undo. */
export function addCompactionCommands(program: Command): void {
  const isEmbedded = () => !(program.opts<{ url?: string }>().url ?? process.env.COLOPHON_URL)
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
      action<CompactOptions>(async ({ caller, output }, [memoryRef], options) => {
        await checkThere(caller, memoryRef)
        const body = { memoryRef, ...numbersOf(options) }
        if (options.dryRun) {
          const planned = (await caller.call('POST', base, { ...body, dryRun: true })) as DryRun
          output.show(planned, () => describePlan(planned))
          return
        }
        const { id, jobId } = (await caller.call('POST', base, body)) as { id: string; jobId: string }
        if (options.wait !== true) {
          output.show({ id, jobId }, () => id)
          tellWhoGoesOn(jobId, isEmbedded())
          return
        }
        const job = await waitForJob(caller, jobId)
        const compaction = (await caller.call('GET', compactionPath(id))) as CompactionView
        output.show({ ...compaction, result: job.result }, () => describe(compaction))
        failUnlessCompleted(job.id, job.status, job.error)
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
      action<ListOptions>(async ({ caller, output }, _args, { ref, limit, cursor }) => {
        const path = withQuery(base, { memoryRef: ref, limit, cursor })
        const page = (await caller.call('GET', path)) as { compactions: CompactionView[]; cursor?: string }
        const rows = page.compactions.map(({ at, id, memoryRef, status, sourceCount, outputId }) => [
          at,
          id,
          printable(memoryRef),
          status,
          String(sourceCount),
          outputId ?? '',
        ])
        const head = ['when', 'id', 'ref', 'status', 'sources', 'output']
        output.show(page, () => [table(head, rows), ...moreLine(page.cursor)].join('\n'))
      }),
    )
  compactions
    .command('show <id>')
    .description('one compaction, with every entry that went into it')
    .action(
      action(async ({ caller, output }, [id]) => {
        const compaction = (await caller.call('GET', compactionPath(id))) as CompactionView
        output.show(compaction, () => describe(compaction))
      }),
    )
  compactions
    .command('undo <id>')
    .description('bring back what went into it and end what came out')
    .action(
      action(async ({ caller, output }, [id]) => {
        const compaction = (await caller.call('POST', `${compactionPath(id)}:undo`)) as CompactionView
        output.show(compaction, () => describe(compaction))
      }),
    )
}

/** A name that was mistyped has nothing under it, and nothing would be done without a word. */
async function checkThere(caller: Caller, memoryRef = ''): Promise<void> {
  const path = `/v1/host/colophon/memory/${encodeURIComponent(memoryRef)}/entries?limit=1`
  const { entries } = (await caller.call('GET', path)) as { entries: readonly unknown[] }
  if (entries.length === 0)
    throw new CliError('There is nothing under this memoryRef. See: colophon refs', exitCodes.notFound)
}

/** As numbers where they are; anything else goes to the server as it is, which says what is wrong with it. */
function numbersOf({ maxInput, maxOutput, minAgeDays, keepNewest }: CompactOptions): Record<string, unknown> {
  const given = { maxInputEntries: maxInput, maxOutputBytes: maxOutput, minAgeDays, keepNewest }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, /^\d+$/.test(text) ? Number(text) : text]],
    ),
  )
}

function describePlan({ sourceCount, compactions }: DryRun): string {
  const rows = compactions.map(({ sourceCount: count, bytes, subject, expiresAt }) => [
    String(count),
    String(bytes),
    printable(subject ?? ''),
    expiresAt ?? '',
  ])
  const title = `${sourceCount} entries would become ${compactions.length}`
  return [title, table(['entries', 'bytes', 'subject', 'expires'], rows)].join('\n')
}

function describe({ id, memoryRef, status, outputId, sourceCount, sourceIds = [], byteSize, runId }: CompactionView) {
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
