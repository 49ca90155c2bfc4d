import { createHash } from 'node:crypto'
import { type Client, isClientError } from '../client/index.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { linesIn } from './export-file.ts'
import type { Output } from './output.ts'
import { type PlainEntry, toPlainEntry } from './plain-file.ts'
import { createProgressBar } from './progress.ts'

export type PlainOptions = {
  plain?: boolean
  ref?: string
  content?: string
  tags?: string
  tag?: string[]
  subject?: string
  at?: string
}

const batchEntriesMax = 500
const batchCharactersMax = 1_000_000

/**
 * Stores every line as one entry. The file is read twice: all lines are parsed before the first is stored. The idempotency
 * key of each batch is made of the file and its lines. So, within a day, the same command resumes an interrupted import
 * and stores nothing twice.
 */
export async function runPlainImport(
  client: Client,
  output: Output,
  file: string,
  { ref, content, tag = [], tags, subject, at }: PlainOptions,
): Promise<void> {
  if (ref === undefined || content === undefined)
    throw new CliError('--plain needs --ref and --content.', exitCodes.usage)
  const paths = { ...(tags ? { tags } : {}), ...(subject ? { subject } : {}), ...(at ? { at } : {}) }
  const mapping = { content, ...paths }
  const hash = createHash('sha256').update(JSON.stringify([ref, mapping, tag]))
  let total = 0
  for await (const { line, number } of filledLines(file)) {
    toPlainEntry(line, number, mapping, tag)
    hash.update(line).update('\n')
    total += 1
  }
  const digest = hash.digest('hex').slice(0, 40)
  const progress = createProgressBar('imported')
  let batch: PlainEntry[] = []
  let characters = 0
  let done = 0
  let skipped = 0
  const flush = async () => {
    if (batch.length === 0) return
    try {
      await client.memory.putMany(ref, batch, { idempotencyKey: `plain-${digest}-${done}` })
    } catch (error) {
      // The batch was stored before, and a part of it was erased since. It is not restored.
      if (!isClientError(error, 'content_erased')) throw error
      skipped += batch.length
    }
    done += batch.length
    batch = []
    characters = 0
    progress.at(done, total)
  }
  try {
    for await (const { line, number } of filledLines(file)) {
      const entry = toPlainEntry(line, number, mapping, tag)
      if (batch.length >= batchEntriesMax || characters + entry.content.length > batchCharactersMax) await flush()
      batch.push(entry)
      characters += entry.content.length
    }
    await flush()
  } finally {
    progress.end()
  }
  const imported = done - skipped
  output.show({ imported, ...(skipped === 0 ? {} : { skipped }), memoryRef: ref }, () =>
    [
      `${imported} entries imported to ${ref}`,
      ...(skipped === 0 ? [] : [`${skipped} skipped: stored before, in batches that were erased in part`]),
    ].join('\n'),
  )
}

async function* filledLines(file: string): AsyncGenerator<{ readonly line: string; readonly number: number }> {
  let number = 0
  try {
    for await (const bytes of linesIn(file)) {
      number += 1
      const line = bytes.toString('utf8')
      if (line.trim() !== '') yield { line, number }
    }
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code !== 'ENOENT') throw error
    throw new CliError(`${file} does not exist.`, exitCodes.usage)
  }
}
