import type { Command } from 'commander'
import type { EntryQuery, SearchMore } from '../../client/index.ts'
import { pageTable, printable, table } from '../output.ts'
import { action } from '../run.ts'
import { readInput } from '../text-input.ts'

type PutOptions = { tag?: string[]; expiresAt?: string; subject?: string }

/** put, list, search, get, revise, delete, refs. */
export function addMemoryCommands(program: Command): void {
  program
    .command('put <ref> [content]')
    .description('remember a text; without one, read it from standard input')
    .option('-t, --tag <tag...>', 'tags')
    .option('--expires-at <instant>', 'when it is to be forgotten')
    .option('--subject <subject>', 'whom it is about')
    .action(
      action<PutOptions>(async ({ client, output }, [ref = '', given], { tag: tags, expiresAt, subject }) => {
        const content = given ?? (await readInput('content'))
        const entry = await client.memory.put(ref, { content, tags, expiresAt, subject })
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
      action<EntryQuery>(async ({ client, output }, [ref = ''], query) => {
        const page = await client.memory.list(ref, query)
        output.show(page, () => {
          const rows = page.entries.map((entry) => [entry.createdAt, entry.id, printable(entry.content).slice(0, 80)])
          return pageTable(['created', 'id', 'content'], rows, page.cursor)
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
      action<SearchMore>(async ({ client, output }, [ref = '', query = ''], options) => {
        const answer = await client.memory.search(ref, query, options)
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
      action<{ asOf?: string }>(async ({ client, output }, [ref = '', id = ''], view) => {
        const entry = await client.memory.get(ref, id, view)
        output.show(entry, () => entry.content)
      }),
    )

  program
    .command('revise <ref> <id> [content]')
    .description('the next version of an entry; without a text and tags, read the text from standard input')
    .option('-t, --tag <tag...>', 'its tags from now on; without this they stay')
    .action(
      action<{ tag?: string[] }>(async ({ client, output }, [ref = '', id = '', given], { tag: tags }) => {
        const content = given ?? (tags === undefined ? await readInput('content') : undefined)
        const entry = await client.memory.revise(ref, id, { content, tags })
        output.show(entry, () => entry.id)
      }),
    )

  program
    .command('delete <ref> <id>')
    .description('end an entry')
    .action(
      action(async ({ client, output }, [ref = '', id = '']) => {
        const answer = await client.memory.delete(ref, id)
        output.show(answer, () => (answer.deleted ? 'deleted' : 'nothing there'))
      }),
    )

  program
    .command('refs')
    .description('the memory refs of the tenant')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.memory.refs()
        const rows = answer.refs.map((ref) => [ref.memoryRef, String(ref.entries), ref.lastWriteAt])
        output.show(answer, () => table(['ref', 'entries', 'last write'], rows))
      }),
    )
}
