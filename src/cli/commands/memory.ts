import type { Command } from 'commander'
import type { SearchResults } from '../../app/search/search.ts'
import type { MemoryEntry } from '../../core/entry.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { printable, table } from '../output.ts'
import { action } from '../run.ts'

const memoryOf = (ref = '') => `/v1/host/colophon/memory/${encodeURIComponent(ref)}`
const entriesOf = (ref = '') => `${memoryOf(ref)}/entries`
const entryOf = (ref = '', id = '') => `${entriesOf(ref)}/${encodeURIComponent(id)}`

type PutOptions = { tag?: string[]; expiresAt?: string; subject?: string }
type ListOptions = Record<'limit' | 'tag' | 'asOf' | 'cursor', string | undefined>

type SearchFlags = { limit: string; recency?: boolean; explain?: boolean } & Partial<
  Record<'tag' | 'category' | 'writer' | 'from' | 'to' | 'asOf' | 'runId', string>
>

/** put, list, search, get, delete, refs. */
export function addMemoryCommands(program: Command): void {
  program
    .command('put <ref> [content]')
    .description('remember a text; without one, read it from standard input')
    .option('-t, --tag <tag...>', 'tags')
    .option('--expires-at <instant>', 'when it is to be forgotten')
    .option('--subject <subject>', 'whom it is about')
    .action(
      action<PutOptions>(async ({ caller, output }, [ref, content], { tag, expiresAt, subject }) => {
        const body = { content: content ?? (await readInput()), tags: tag, expiresAt, subject }
        const entry = (await caller.call('POST', entriesOf(ref), body)) as MemoryEntry
        output.show(entry, () => entry.id)
      }),
    )

  program
    .command('list <ref>')
    .description('the newest entries of a ref')
    .option('-n, --limit <count>', 'how many', '20')
    .option('-t, --tag <tag>', 'only with this tag')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--cursor <cursor>', 'the next page')
    .action(
      action<ListOptions>(async ({ caller, output }, [ref], options) => {
        const given = Object.entries(options).filter((pair): pair is [string, string] => pair[1] !== undefined)
        const answer = await caller.call('GET', `${entriesOf(ref)}?${new URLSearchParams(given)}`)
        const page = answer as { entries: MemoryEntry[]; cursor?: string }
        output.show(page, () => {
          const rows = page.entries.map((entry) => [entry.createdAt, entry.id, printable(entry.content).slice(0, 80)])
          const more = page.cursor ? [`more: --cursor ${page.cursor}`] : []
          return [table(['created', 'id', 'content'], rows), ...more].join('\n')
        })
      }),
    )

  program
    .command('search <ref> <query>')
    .description('the entries of a ref that bear on a question, best first')
    .option('-n, --limit <count>', 'how many', '10')
    .option('-t, --tag <tag>', 'only with this tag')
    .option('--category <category>', 'only of this category')
    .option('--writer <service>', 'only what this service told')
    .option('--from <instant>', 'created at or after')
    .option('--to <instant>', 'created before')
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--run-id <id>', 'as this run sees it')
    .option('--recency', 'newer entries count a little more')
    .option('--explain', 'show what each score is made of')
    .action(
      action<SearchFlags>(async ({ caller, output }, [ref, query], { limit, ...options }) => {
        const path = `${memoryOf(ref)}/search`
        const answer = (await caller.call('POST', path, { query, limit: Number(limit), ...options })) as SearchResults
        output.show(answer, () => {
          const rows = answer.results.map(({ entry, score, parts }) => [
            score.toFixed(3),
            entry.id,
            printable(entry.content).slice(0, 80),
            ...(parts
              ? [
                  Object.entries(parts)
                    .map(([name, part]) => `${name} ${part.toFixed(2)}`)
                    .join(', '),
                ]
              : []),
          ])
          return table(['score', 'id', 'content', ...(options.explain ? ['because'] : [])], rows)
        })
      }),
    )

  program
    .command('get <ref> <id>')
    .description('one entry')
    .option('--as-of <moment>', 'as of a position or an instant')
    .action(
      action<{ asOf?: string }>(async ({ caller, output }, [ref, id], { asOf }) => {
        const query = asOf === undefined ? '' : `?asOf=${encodeURIComponent(asOf)}`
        const entry = (await caller.call('GET', `${entryOf(ref, id)}${query}`)) as MemoryEntry
        output.show(entry, () => entry.content)
      }),
    )

  program
    .command('delete <ref> <id>')
    .description('end an entry')
    .action(
      action(async ({ caller, output }, [ref, id]) => {
        const answer = (await caller.call('DELETE', entryOf(ref, id))) as { deleted: boolean }
        output.show(answer, () => (answer.deleted ? 'deleted' : 'nothing there'))
      }),
    )

  program
    .command('refs')
    .description('the memory refs of the tenant')
    .action(
      action(async ({ caller, output }) => {
        const answer = await caller.call('GET', '/v1/host/colophon/memory')
        const { refs } = answer as { refs: { memoryRef: string; entries: number; lastWriteAt: string }[] }
        const rows = refs.map((ref) => [ref.memoryRef, String(ref.entries), ref.lastWriteAt])
        output.show(answer, () => table(['ref', 'entries', 'last write'], rows))
      }),
    )
}

async function readInput(): Promise<string> {
  if (process.stdin.isTTY) throw new CliError('Give the content as an argument or on standard input.', exitCodes.usage)
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8').replace(/\n$/, '')
}
