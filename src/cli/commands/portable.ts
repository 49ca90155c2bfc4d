import { once } from 'node:events'
import { createWriteStream, renameSync, rmSync } from 'node:fs'
import type { Command } from 'commander'
import { type Client, createClient, isClientError } from '../../client/index.ts'
import { openConnection } from '../caller.ts'
import { CliError, exitCodeOf, exitCodes } from '../exit-codes.ts'
import { checkExportFile, partsOf } from '../export-file.ts'
import { createOutput, type Output, table } from '../output.ts'
import { type PlainOptions, runPlainImport } from '../plain-import.ts'
import { createProgress } from '../progress.ts'
import { reportFailure } from '../run.ts'

type Globals = { url?: string; key?: string; tenant?: string; json?: boolean }

/** export, import: a tenant's memory as a file, with its provenance and its history. */
export function addPortableCommands(program: Command): void {
  program
    .command('export [file]')
    .description('write everything that the tenant remembers to a file, or to standard output')
    .option('--ref <ref>', 'only what is under this memoryRef')
    .option('--subject <subject>', 'only what is about this person')
    .action((file: string | undefined, options: { ref?: string; subject?: string }, command: Command) =>
      withClient(command, (client, output) => runExport(client, output, file, options)),
    )
  program
    .command('import <file>')
    .description('read an export into a tenant without memory; goes on where it was cut off')
    .option('--merge', 'also into a tenant that has memory: what is there stays, what is the same is skipped')
    .option('--plain', 'any file with a JSON document per line; say with --content where the text is')
    .option('--ref <ref>', 'plain: the memoryRef to write to')
    .option('--content <path>', 'plain: where the text is, such as message.text')
    .option('--tags <path>', 'plain: where a tag or a list of tags is')
    .option('--tag <tag...>', 'plain: tags for every entry')
    .option('--subject <path>', 'plain: where the person is named')
    .option('--at <path>', 'plain: where it says when; becomes a tag at:<instant>, because createdAt cannot be set')
    .action((file: string, options: { merge?: boolean } & PlainOptions, command: Command) =>
      withClient(command, (client, output) =>
        options.plain ? runPlainImport(client, output, file, options) : runImport(client, output, file, options),
      ),
    )
}

async function withClient(command: Command, work: (client: Client, output: Output) => Promise<void>): Promise<void> {
  const { json = false, ...options } = command.optsWithGlobals<Globals>()
  await reportFailure(async () => {
    const { close, ...connection } = await openConnection(options)
    try {
      await work(createClient({ ...connection, timeoutMs: 10 * 60_000 }), createOutput(json))
    } catch (error) {
      throw isClientError(error) ? toCliError(error) : error
    } finally {
      await close()
    }
  })
}

function toCliError(error: { code: string; message: string; hint: string; status?: number | undefined }): CliError {
  const exitCode = error.status ? exitCodeOf(error.status) : exitCodes.unavailable
  return new CliError(`${error.code}: ${error.message}\n  ${error.hint}`, exitCode)
}

async function runExport(
  client: Client,
  output: Output,
  file: string | undefined,
  { ref, subject }: { ref?: string; subject?: string },
): Promise<void> {
  const query = { ...(ref === undefined ? {} : { memoryRef: ref }), ...(subject === undefined ? {} : { subject }) }
  if (file === undefined) {
    for await (const piece of client.export(query)) await write(process.stdout, piece)
    return
  }
  // It gets its name once it is whole: what is left of one that was cut off cannot be mistaken for an export.
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  const stream = createWriteStream(partial, { mode: 0o600, flags: 'wx' })
  await once(stream, 'open').catch(() => {
    throw new CliError(
      `${file} cannot be written: check that its folder exists and that you may write there.`,
      exitCodes.usage,
    )
  })
  const progress = createProgress('exported')
  let characters = 0
  try {
    for await (const piece of client.export(query)) {
      await write(stream, piece)
      characters += piece.length
      progress.going(`${(characters / 1_000_000).toFixed(1)} MB`)
    }
    progress.end()
    stream.end()
    await once(stream, 'close')
    const { rows, sha256 } = await checkExportFile(partial)
    renameSync(partial, file)
    output.show({ file, lines: rows + 2, sha256 }, () => `${file}: ${rows} rows, checked\nsha256 ${sha256}`)
  } catch (error) {
    progress.end()
    stream.destroy()
    rmSync(partial, { force: true })
    throw error
  }
}

async function write(stream: NodeJS.WritableStream, piece: string): Promise<void> {
  if (!stream.write(piece)) await once(stream, 'drain')
}

async function runImport(
  client: Client,
  output: Output,
  file: string,
  { merge = false }: { merge?: boolean },
): Promise<void> {
  const checked = await checkExportFile(file).catch((error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== 'ENOENT') throw error
    throw new CliError('There is no such file.', exitCodes.usage)
  })
  const progress = createProgress('imported')
  const query = merge ? { merge: 'true' as const } : {}
  const result = { imported: 0, skipped: 0, base: 0, finished: false }
  const conflicts: { line: number; type: string; id: string }[] = []
  let next = 1
  try {
    for await (const { text, to } of partsOf(file, checked)) {
      // What an earlier try has stored need not be sent again.
      if (to < next && to < checked.rows) continue
      const answer = await client.import(text, query)
      next = answer.nextLine
      result.imported += answer.imported
      result.skipped += answer.skipped
      result.base = answer.base
      result.finished = answer.finished
      conflicts.push(...answer.conflicts)
      progress.at(to, checked.rows)
    }
  } finally {
    progress.end()
  }
  output.show({ ...result, conflicts }, () =>
    [
      `${result.imported} rows imported, ${result.skipped} were there already`,
      result.base === 0 ? 'positions are as they were' : `positions are ${result.base} higher than they were`,
      ...(conflicts.length === 0
        ? []
        : [
            `${conflicts.length} rows left out, because something else is there:`,
            table(
              ['line', 'type', 'id'],
              conflicts.map(({ line, type, id }) => [String(line), type, id]),
            ),
          ]),
    ].join('\n'),
  )
  if (conflicts.length > 0) process.exitCode = exitCodes.refused
}
