import { type Client, isClientError } from '../../client/index.ts'
import { createSourceWriter, type SourceWriter } from '../../client/source-writer.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { checkIdentifier } from '../../core/check.ts'
import { checkContentSize, parseDraft } from '../../core/entries/entry.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { eventIdOf, toContent, toDraft } from '../../integrations/items.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { type Output, table } from '../output.ts'
import { createProgressBar } from '../progress.ts'
import { type ForeignKind, openForeign } from './open.ts'
import { attemptsMax, type ImportOutcome, isKnownEvent } from './outcome.ts'
import type { ForeignDocument, ForeignItem, ForeignMemory, ForeignSource } from './source.ts'
import { GraphImport } from './store-graph.ts'

export type ForeignOptions = { dryRun?: boolean; service?: string; trust?: Trust }

/** Problems that are shown. */
const shownMax = 20
/** Ingest jobs that are awaited together. */
const jobsMax = 50

/**
 * Imports the memory of another product. Everything is read and checked before the first item is stored. Each item is a source
 * event whose id follows from what it says, so the same command resumes an interrupted import, stores nothing twice, and brings back
 * nothing that was changed or deleted since.
 */
export async function runForeignImport(
  client: Client,
  output: Output,
  location: string,
  kind: ForeignKind,
  options: ForeignOptions,
): Promise<void> {
  const source = await openForeign(location, kind)
  try {
    const found = await checkAll(source)
    const total = Object.values(found).reduce((sum, count) => sum + count, 0)
    if (options.dryRun) {
      const counts = Object.entries(found).map(([name, count]) => `${count} ${name}`)
      return output.show(
        { from: kind, found, dryRun: true },
        () => `${counts.join(', ') || 'nothing'}; nothing was stored`,
      )
    }
    const { refused, ...stored } = await storeAll(client, source, total, options)
    output.show({ from: kind, found, ...stored, refused }, () =>
      [
        `${stored.imported} imported from ${source.label}, ${stored.skipped} skipped (stored before)`,
        ...(refused.length === 0
          ? []
          : [
              `${refused.length} refused:`,
              table(
                ['where', 'why'],
                refused.map(({ at, problem }) => [at, problem]),
              ),
            ]),
      ].join('\n'),
    )
    if (refused.length > 0) process.exitCode = exitCodes.refused
  } finally {
    await source.close()
  }
}

/** Counts the items by kind. If one cannot be stored, all such items are named and nothing is imported. */
async function checkAll(source: ForeignSource): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  const problems: string[] = []
  let count = 0
  for await (const item of source.items()) {
    found[item.kind] = (found[item.kind] ?? 0) + 1
    const problem = problemOf(item)
    if (problem === null) continue
    count += 1
    if (problems.length < shownMax) problems.push(`${item.at}: ${problem}`)
  }
  if (count === 0) return found
  const more = count > problems.length ? [`and ${count - problems.length} more`] : []
  throw new CliError(
    [`${count} cannot be imported, nothing was stored.`, ...problems, ...more].join('\n'),
    exitCodes.refused,
  )
}

function problemOf(item: ForeignItem): string | null {
  if ('problem' in item) return item.problem
  try {
    if ('memory' in item) checkContentSize(item.memory.content, 'memory')
    else if ('graph' in item) for (const draft of item.graph) parseDraft(draft)
    else {
      checkContentSize(toContent(item.document.value), 'It')
      for (const tag of [item.document.name, ...item.document.tags])
        checkIdentifier('A name', tag, 'tagCharactersMax', limits.tagCharactersMax)
    }
    return null
  } catch (error) {
    if (isColophonError(error)) return error.message
    throw error
  }
}

type Refused = { readonly at: string; readonly problem: string }

async function storeAll(client: Client, source: ForeignSource, total: number, { service, trust }: ForeignOptions) {
  const scope = { imported_from: source.label }
  const writer = createSourceWriter(client, { service, event: { scope } }, source.service)
  const lowered = trust === undefined ? {} : { trust }
  const memories = new MemoryImport(client, writer, lowered)
  const graph = new GraphImport(client, writer, lowered)
  const stored = { imported: 0, skipped: 0 }
  const refused: Refused[] = []
  const progress = createProgressBar('imported')
  try {
    for await (const item of source.items()) {
      try {
        if ('memory' in item) stored[await memories.store(item.memory)] += 1
        else if ('graph' in item) stored[await graph.store(item.graph)] += 1
        else if ('document' in item) stored[await storeDocument(client, writer, item.document, lowered)] += 1
      } catch (error) {
        if (!isRefusal(error)) throw error
        refused.push({ at: item.at, problem: `${error.code}: ${error.message}` })
      }
      progress.at(stored.imported + stored.skipped + refused.length, total)
    }
    await memories.settle()
  } finally {
    progress.end()
  }
  return { ...stored, refused }
}

/** An error about one item. Anything else, such as a missing scope, ends the import. */
function isRefusal(error: unknown): error is Error & { readonly code: string } {
  return isClientError(error, 'secret_leakage') || isClientError(error, 'validation_error')
}

async function storeDocument(
  client: Client,
  writer: SourceWriter,
  { ref, name, tags, value, by, observedAt, expiresAt, scope }: ForeignDocument,
  lowered: { readonly trust?: Trust },
): Promise<ImportOutcome> {
  const content = toContent(value)
  const text = { ...lowered, ...toDraft(content, [name, ...tags], by) }
  const call = { id: eventIdOf(ref, `import:${name}:${sha256(content).slice(0, 16)}`), scope, observedAt }
  for (let attempt = 1; ; attempt++) {
    const { entries, position } = await client.memory.list(ref, { tag: name, limit: 1, trustMin: 'untrusted' })
    const [known] = entries
    if (known?.content === content) return 'skipped'
    const ends = expiresAt === undefined ? {} : { expiresAt }
    const change =
      known === undefined
        ? { entries: [{ ...text, ...ends }] }
        : { entries: [], revisions: [{ id: known.id, ...text }], asOf: position }
    try {
      const stored = await writer.write(ref, change, call)
      // A repeated event has the position of its first call.
      return stored.position > position ? 'imported' : 'skipped'
    } catch (error) {
      if (isKnownEvent(error)) return 'skipped'
      if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
    }
  }
}

/** Memories are stored by a job. The import waits for the jobs, so that what it reports is there. */
class MemoryImport {
  readonly #client: Client
  readonly #writer: SourceWriter
  readonly #lowered: { readonly trust?: Trust }
  readonly #known = new Map<string, ReadonlySet<string>>()
  #jobs: string[] = []

  constructor(client: Client, writer: SourceWriter, lowered: { readonly trust?: Trust }) {
    this.#client = client
    this.#writer = writer
    this.#lowered = lowered
  }

  async store({
    id,
    subject,
    agentId,
    content,
    category,
    metadata,
    observedAt,
    scope,
  }: ForeignMemory): Promise<ImportOutcome> {
    const eventId = eventIdOf('import', `${id}:${sha256(content).slice(0, 16)}`)
    if ((await this.#eventsOf(subject)).has(eventId)) return 'skipped'
    // A memory of mem0 is what its model found in what was said.
    const message = { role: 'assistant' as const, content, ...(category === undefined ? {} : { category }) }
    const draft = {
      external_user_id: subject,
      ...(agentId === null ? {} : { agent_id: agentId }),
      infer: false as const,
      messages: [message as typeof message & { category?: 'fact' }],
      metadata: { ...metadata },
      ...this.#lowered,
    }
    try {
      this.#jobs.push((await this.#writer.add(draft, { id: eventId, scope, observedAt })).job_id)
    } catch (error) {
      if (isKnownEvent(error)) return 'skipped'
      throw error
    }
    if (this.#jobs.length >= jobsMax) await this.settle()
    return 'imported'
  }

  async settle(): Promise<void> {
    const ended = await Promise.all(this.#jobs.map((id) => this.#client.memories.wait(id)))
    this.#jobs = []
    const failed = ended.find(({ status }) => status !== 'completed')
    if (failed !== undefined)
      throw new CliError(`Job ${failed.job_id} ended as ${failed.status}: colophon jobs show it.`, exitCodes.refused)
  }

  /** The events of a subject that are stored. A key without the scope to read them sends all of them again, which stores nothing. */
  async #eventsOf(subject: string): Promise<ReadonlySet<string>> {
    const known = this.#known.get(subject)
    if (known !== undefined) return known
    const found = new Set<string>()
    try {
      for await (const event of this.#client.sources.each({ external_user_id: subject }))
        if ('event_id' in event && event.event_id !== null) found.add(event.event_id)
    } catch (error) {
      if (!isClientError(error, 'forbidden') && !isClientError(error, 'reader_forbidden')) throw error
    }
    this.#known.set(subject, found)
    return found
  }
}
