import { readFileSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import type { Forget, ForgetCounts } from '../../client/index.ts'
import { verifyReceipt } from '../../core/forget/receipt.ts'
import type { Receipt } from '../../core/forget/receipt-body.ts'
import { isEnvelope, openReceiptEnvelope } from '../../core/forget/receipt-envelope.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { failUnlessCompleted, notePendingJob, waitForJob } from '../job-outcome.ts'
import { readJsonObject } from '../json-input.ts'
import { createOutput, pageTable, table } from '../output.ts'
import { reportFailure } from '../report-failure.ts'

type ForgetOptions = {
  subject?: string
  ref?: string
  tag?: string
  writer?: string
  sourceEvent?: string
  run?: string
  reason?: string
  cascade: boolean
  dryRun?: true
  mentions?: string
  wait?: true
  receipt?: string
  receiptFormat?: string
}

/** forget, forget list, show, key, verify. */
export function addForgetCommands(program: Command): void {
  const forget = program
    .command('forget')
    .description('erase memory on request, with a signed receipt')
    .option('--subject <user>', 'everything about this user (external_user_id)')
    .option('--ref <memoryRef>', 'everything under this memoryRef')
    .option('--tag <tag>', 'entries with this tag, now or in an earlier version')
    .option('--writer <service>', 'everything from this source service')
    .option('--source-event <id>', 'everything from this source event')
    .option('--run <id>', 'everything that this run wrote')
    .option('--reason <text>', 'the reason; it is kept, so it must not name what is erased')
    .option('--no-cascade', 'keep what runs and compactions derived from it')
    .option('--dry-run', 'only count what would be erased, and list other entries that name the subject')
    .option('--mentions <what>', 'other entries whose text names the subject: list or erase')
    .option('--wait', 'wait until everything is erased, and show the receipt')
    .option('--receipt <file>', 'with --wait: write the receipt to this file')
    .option('--receipt-format <format>', 'dsse: write the receipt as an in-toto statement in a DSSE envelope')
    .action(
      action<ForgetOptions>(async ({ client, output, isEmbedded }, _args, options) => {
        const { subject, ref: memoryRef, tag, writer, sourceEvent, run: runId, reason = '', cascade } = options
        const mentions = readMentions(options.mentions)
        const asEnvelope = readFormat('--receipt-format', options.receiptFormat)
        const body = { subject, memoryRef, tag, writer, sourceEvent, runId, reason, cascade, mentions }
        if (options.dryRun) {
          const counted = await client.forget.dryRun(body)
          output.show(counted, () => [describeCounts(counted.counts), ...describeFound(counted)].join('\n'))
          return
        }
        const started = await client.forget.request(body)
        if (started.matched === 0) process.stderr.write(`${noMatch}\n`)
        if (!options.wait) {
          output.show(started, () => started.id)
          notePendingJob(started.jobId, isEmbedded)
          return
        }
        failUnlessCompleted(started.jobId, await waitForJob(client, started.jobId))
        const done = await client.forget.get(started.id)
        if (options.receipt) {
          const receipt = asEnvelope ? await client.forget.envelope(started.id) : done.receipt
          writeFileSync(options.receipt, `${JSON.stringify(receipt, null, 2)}\n`, { mode: 0o600 })
        }
        output.show(done, () => describe(done))
      }),
    )
  forget
    .command('list')
    .description('list erasures, oldest first')
    .option('-n, --limit <count>', 'items per page', '50')
    .option('--cursor <cursor>', 'cursor of the next page')
    .option('--subject <user>', 'only erasures of everything about this user')
    .action(
      action<{ limit?: number; cursor?: string; subject?: string }>(async ({ client, output }, _args, query) => {
        const page = await client.forget.list(query)
        const rows = page.forgets.map(({ id, status, selector, requestedAt, counts }) => [
          id,
          status,
          selector.kind,
          requestedAt,
          String(counts.entries),
        ])
        const head = ['forget', 'status', 'by', 'requested', 'entries']
        output.show(page, () => pageTable(head, rows, page.cursor))
      }),
    )
  forget
    .command('show <id>')
    .description('show one erasure and its receipt; --json prints the receipt in the form that can be verified')
    .option('--format <format>', 'dsse: print the receipt as an in-toto statement in a DSSE envelope')
    .action(
      action<{ format?: string }>(async ({ client, output }, [id = ''], { format }) => {
        if (readFormat('--format', format)) {
          const envelope = await client.forget.envelope(id)
          output.show(envelope, () => JSON.stringify(envelope, null, 2))
          return
        }
        const view = await client.forget.get(id)
        output.show(view.receipt ?? view, () => describe(view))
      }),
    )
  forget
    .command('key')
    .description('print the public key of the host, to verify receipts')
    .action(
      action(async ({ client, output }) => {
        const key = await client.forget.signingKey()
        output.show(key, () => key.publicKey)
      }),
    )
  forget
    .command('verify <file>')
    .description('verify a receipt or a DSSE envelope without a server: needs the file and the public key of the host')
    .requiredOption('--public-key <key>', 'the key that "forget key" prints, or @file')
    .action(async (file: string, { publicKey }: { publicKey: string }, command: Command) => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>()
      await reportFailure(async () => {
        const { receipt, verdict } = verifyFile(readJsonObject(file), readKey(publicKey))
        if (!verdict.ok) throw new CliError(verdict.problem ?? 'The receipt is not valid.', exitCodes.refused)
        createOutput(json).show(
          { ...verdict, id: receipt?.id },
          () => `${receipt?.id}: signed by this host, ${verdict.note ?? 'everything erased'}`,
        )
      })
    })
}

/** Verifies a plain receipt or an envelope, whichever the file contains. */
function verifyFile(value: object, publicKey: string) {
  if (!isEnvelope(value)) return { receipt: value as Receipt, verdict: verifyReceipt(value, publicKey) }
  const { receipt, ...verdict } = openReceiptEnvelope(value, publicKey)
  return { receipt, verdict }
}

/** Whether the receipt is wanted as a DSSE envelope. */
function readFormat(option: string, given: string | undefined): boolean {
  if (given === undefined || given === 'dsse') return given === 'dsse'
  throw new CliError(`${option} must be dsse.`, exitCodes.usage)
}

const noMatch = 'Nothing matched. Check the spelling of the name.'

function readMentions(given: string | undefined): 'list' | 'erase' | undefined {
  if (given === undefined || given === 'list' || given === 'erase') return given
  throw new CliError('--mentions must be list or erase.', exitCodes.usage)
}

/** The number of matches, and other entries that name the subject. */
function describeFound({
  matched,
  mentions,
  spellings,
}: Pick<ForgetCounts, 'matched' | 'mentions' | 'spellings'>): string[] {
  const lines = [matched === 0 ? noMatch : `matched: ${matched}`]
  // They look the same, so their code points are shown.
  if (spellings !== undefined) lines.push('Stored in several spellings, which are forgotten together:')
  lines.push(...(spellings ?? []).map((spelling) => `  ${spelling} (${codePoints(spelling)})`))
  if (mentions === undefined || mentions.count === 0) return lines
  lines.push(`Other entries that name the subject: ${mentions.count} (erased only with --mentions erase)`)
  lines.push(...mentions.entries.map(({ memoryRef, id }) => `  ${memoryRef} ${id}`))
  const more = mentions.count - mentions.entries.length
  if (more > 0) lines.push(`  … and ${more} more`)
  return lines
}

function codePoints(text: string): string {
  const others = [...text].filter((character) => (character.codePointAt(0) ?? 0) > 0x7e)
  return others.map((one) => `U+${one.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`).join(' ')
}

function readKey(given: string): string {
  if (!given.startsWith('@')) return given
  try {
    return readFileSync(given.slice(1), 'utf8').trim()
  } catch {
    throw new CliError(`${given.slice(1)} cannot be read.`, exitCodes.usage)
  }
}

function describeCounts(counts: ForgetCounts['counts']): string {
  const rows = Object.entries(counts).map(([layer, count]) => [layer, String(count)])
  return table(['layer', 'count'], rows)
}

function describe({ id, status, phase, counts, receipt }: Forget): string {
  const lines = [`${id} is ${status}${status === 'erasing' ? ` (${phase})` : ''}`, describeCounts(counts)]
  if (receipt?.note !== undefined) lines.push(receipt.note)
  if (receipt) lines.push(`files: ${receipt.physical}`, `audit head: ${receipt.audit.position} ${receipt.audit.hash}`)
  return lines.join('\n')
}
