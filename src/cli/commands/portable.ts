import { once } from 'node:events'
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs'
import type { Command } from 'commander'
import type { Client } from '../../client/index.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { action } from '../action.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { checkExportFile, partsOf } from '../export-file.ts'
import { checkForeignKind, detectForeign, foreignKinds } from '../foreign-import/open.ts'
import type { ForeignOptions } from '../foreign-import/run.ts'
import { type Output, table } from '../output.ts'
import { type PlainOptions, runPlainImport } from '../plain-import.ts'
import { createProgressBar } from '../progress.ts'

/** A part of a file is stored once, however often it is sent. So a request without a response can be repeated. */
const importRetries = 3

/** export, import: the memory of a tenant as a file, with its provenance and its history. */
export function addPortableCommands(program: Command): void {
  program
    .command('export [file]')
    .description('export the memory of the tenant to a file, or to standard output')
    .option('--ref <ref>', 'only entries of this memoryRef')
    .option('--subject <subject>', 'only memories about this person')
    .action(
      action<{ ref?: string; subject?: string }>(({ client, output }, [file], options) =>
        runExport(client, output, file, options),
      ),
    )
  program
    .command('import <file>')
    .description(
      'import an export into an empty tenant, or the memory of another product; run it again to resume an interrupted import',
    )
    .option(
      '--from <product>',
      `the product that the file, or the database at a URL, is from: ${foreignKinds.join(', ')}; by default, as its content says`,
    )
    .option('--dry-run', 'another product: check everything, count it, and store nothing')
    .option(
      '--service <name>',
      'another product: the writer of the memories; by default that of the key, or the product',
    )
    .option('--merge', 'also into a tenant with memory: existing rows stay, equal rows are skipped')
    .option('--trust <class>', 'the highest class of a file that this host did not sign: untrusted (default) or agent')
    .option('--plain', 'any file with one JSON document per line; needs --ref and --content')
    .option('--ref <ref>', 'plain: the memoryRef to write to')
    .option('--content <path>', 'plain: the path of the text, such as message.text')
    .option('--tags <path>', 'plain: the path of a tag or a list of tags')
    .option('--tag <tag...>', 'plain: tags for every entry')
    .option('--subject <path>', 'plain: the path of the person')
    .option(
      '--at <path>',
      'plain: the path of the time; it becomes a tag at:<instant>, because createdAt cannot be set',
    )
    .action(
      action<ImportOptions & PlainOptions & ForeignOptions & { from?: string }>(
        async ({ client, output }, [file = ''], options) => {
          if (options.plain) return runPlainImport(client, output, file, options)
          const kind = options.from === undefined ? detectForeign(file) : checkForeignKind(options.from)
          if (kind !== null) {
            const { runForeignImport } = await import('../foreign-import/run.ts')
            return runForeignImport(client, output, file, kind, options)
          }
          if (options.dryRun && existsSync(file))
            throw new CliError(
              `${file} is not recognised as the memory of another product, and --dry-run is for that. Name the product with --from.`,
              exitCodes.usage,
            )
          return runImport(client, output, file, options)
        },
        // It reads what is there before it writes.
        { retries: importRetries, creates: true },
      ),
    )
}

async function runExport(
  client: Client,
  output: Output,
  file: string | undefined,
  { ref: memoryRef, subject }: { ref?: string; subject?: string },
): Promise<void> {
  const query = { memoryRef, subject }
  if (file === undefined) {
    for await (const piece of client.export(query)) await write(process.stdout, piece)
    return
  }
  // The file gets its name when it is complete, so an interrupted export leaves no file with that name.
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  const stream = createWriteStream(partial, { mode: 0o600, flags: 'wx' })
  await once(stream, 'open').catch(() => {
    throw new CliError(`${file} cannot be written: check that its folder exists and is writable.`, exitCodes.usage)
  })
  const progress = createProgressBar('exported')
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
    const { rows, sha256, signature } = await checkExportFile(partial)
    renameSync(partial, file)
    const keyId = signature?.keyId ?? null
    const signed = keyId === null ? 'not signed: this process has no signing key' : `signed with key ${keyId}`
    output.show({ file, lines: rows + 2, sha256, keyId }, () =>
      [`${file}: ${rows} rows, verified`, `sha256 ${sha256}`, signed].join('\n'),
    )
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

type ImportOptions = { merge?: boolean; trust?: Trust }

async function runImport(
  client: Client,
  output: Output,
  file: string,
  { merge = false, trust }: ImportOptions,
): Promise<void> {
  const checked = await checkExportFile(file).catch((error: unknown) => {
    if ((error as { code?: unknown } | null)?.code !== 'ENOENT') throw error
    throw new CliError(`${file} does not exist.`, exitCodes.usage)
  })
  const progress = createProgressBar('imported')
  const query = { ...(merge ? { merge: 'true' as const } : {}), ...(trust === undefined ? {} : { trust }) }
  const result = { imported: 0, skipped: 0, base: 0, finished: false }
  let signature: Signature = { status: 'pending' }
  const writersToBind: string[] = []
  const unmarked: string[] = []
  const conflicts: { line: number; type: string; id: string }[] = []
  let next = 1
  let isInParts = false
  try {
    for await (const { text, to } of partsOf(file, checked)) {
      // Rows that an earlier attempt stored need not be sent again.
      if (to < next && to < checked.rows) continue
      const answer = await client.import(text, query)
      next = answer.nextLine
      isInParts ||= to < checked.rows
      result.imported += answer.imported
      result.skipped += answer.skipped
      result.base = answer.base
      result.finished = answer.finished
      signature = answer.signature
      writersToBind.push(...answer.writersToBind)
      unmarked.push(...answer.unmarked)
      conflicts.push(...answer.conflicts)
      progress.at(to, checked.rows)
    }
  } finally {
    progress.end()
  }
  output.show({ ...result, signature, writersToBind, unmarked, conflicts }, () =>
    [
      `${result.imported} rows imported, ${result.skipped} skipped (stored before)`,
      result.base === 0 ? 'positions are unchanged' : `positions are ${result.base} higher than in the file`,
      signatureText(signature),
      ...(trust === undefined && (signature.status !== 'known' || isInParts)
        ? [
            'in quarantine, because this host did not sign it in one part: colophon quarantine list, or import with --trust agent',
          ]
        : []),
      ...(writersToBind.length === 0
        ? []
        : [
            `inactive until bound to a key (colophon writers change WRITER --api-key ID --activate): ${writersToBind.join(', ')}`,
          ]),
      ...(unmarked.length === 0
        ? []
        : [`no longer always included, because their subject has as many as it may: ${unmarked.join(', ')}`]),
      ...(conflicts.length === 0
        ? []
        : [
            `${conflicts.length} rows in conflict, not imported (another row has the same id):`,
            table(
              ['line', 'type', 'id'],
              conflicts.map(({ line, type, id }) => [String(line), type, id]),
            ),
          ]),
    ].join('\n'),
  )
  if (conflicts.length > 0) process.exitCode = exitCodes.refused
}

type Signature = Awaited<ReturnType<Client['import']>>['signature']

function signatureText({ status, keyId = '' }: Signature): string {
  switch (status) {
    case 'known':
      return `signature known: key ${keyId} of this host`
    case 'unknown':
      return `signature unknown: key ${keyId} is of another host; compare it with the key of the host that made the file`
    case 'missing':
      return 'signature missing: the file is not signed'
    case 'pending':
      return 'signature not verified: the import is not complete'
  }
}
