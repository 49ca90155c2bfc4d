import type { Command } from 'commander'
import type { EntryQuery, SearchMore } from '../../client/index.ts'
import type { Trust } from '../../core/entries/trust.ts'
import { action } from '../action.ts'
import { filterOption, parseFilterOption } from '../filter-option.ts'
import { minRelevanceOption, parseMinRelevance } from '../min-relevance-option.ts'
import { pageTable, printable, table, warn } from '../output.ts'
import { parseReaders, readersOption } from '../readers-option.ts'
import { readInput } from '../text-input.ts'
import { trustMinOption, trustOption } from '../trust-options.ts'
import { whyEmpty } from '../why-empty.ts'

type PutOptions = { tag?: string[]; expiresAt?: string; subject?: string; trust?: Trust; readers?: string }

type SearchCommand = Omit<SearchMore, 'filter'> & { filter?: string }

type RevisedOptions = { tag?: string[]; trust?: Trust; readers?: string }

/** put, list, search, get, revise, delete, refs. */
export function addEntryCommands(program: Command): void {
  program
    .command('put <ref> [content]')
    .description('store an entry; without a content, read it from standard input')
    .option('-t, --tag <tag...>', 'tags of the entry')
    .option('--expires-at <instant>', 'when the entry expires')
    .option('--subject <subject>', 'the person it is about')
    .option(...trustOption)
    .option(...readersOption)
    .action(
      action<PutOptions>(async ({ client, output }, [ref = '', given], { tag: tags, readers, ...draft }) => {
        const content = given ?? (await readInput('content'))
        const entry = await client.memory.put(ref, { content, tags, ...draft, ...parseReaders(readers) })
        output.show(entry, () => entry.id)
      }),
    )

  program
    .command('list <ref>')
    .description('list the entries of a ref, newest first')
    .option('-n, --limit <count>', 'items per page', '20')
    .option('-t, --tag <tag>', 'only entries with this tag')
    .option(...filterOption)
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--cursor <cursor>', 'cursor of the next page')
    .option(...trustMinOption)
    .action(
      action<Omit<EntryQuery, 'filter'> & { filter?: string }>(async ({ client, output }, [ref = ''], options) => {
        const { filter, ...query } = options
        const page = await client.memory.list(ref, { ...query, ...parseFilterOption(filter) })
        if (page.entries.length === 0) warnOf(await whyEmpty(client, ref))
        output.show(page, () => {
          const rows = page.entries.map((entry) => [entry.createdAt, entry.id, printable(entry.content).slice(0, 80)])
          return pageTable(['created', 'id', 'content'], rows, page.cursor)
        })
      }),
    )

  program
    .command('search <ref> <query>')
    .description('search the entries of a ref, best first')
    .option('-n, --limit <count>', 'results', '10')
    .option('-t, --tag <tag>', 'only entries with this tag')
    .option('--category <category>', 'only entries of this category')
    .option('--writer <service>', 'only entries from this source service')
    .option('--from <instant>', 'only entries created at or after this instant')
    .option('--to <instant>', 'only entries created before this instant')
    .option(...filterOption)
    .option('--as-of <moment>', 'as of a position or an instant')
    .option('--run-id <id>', 'as this run sees it')
    .option(...trustMinOption)
    .option(...minRelevanceOption)
    .option('--recency', 'rank newer entries a little higher')
    .option('--explain', 'show the parts of each score, and what was left out')
    .action(
      action<SearchCommand>(async ({ client, output }, [ref = '', query = ''], options) => {
        const { minRelevance, filter, ...more } = options
        const parsed = { ...parseMinRelevance(minRelevance), ...parseFilterOption(filter) }
        const answer = await client.memory.search(ref, query, { ...more, ...parsed })
        if (answer.results.length === 0) {
          warnOf(
            (await whyEmpty(client, ref)) ?? (minRelevance === undefined || more.explain ? undefined : aboutLeftOut),
          )
        }
        output.show(answer, () => {
          const rows = answer.results.map(({ entry, score, relevance, parts }) => [
            score.toFixed(3),
            relevance.toFixed(2),
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
          const heads = ['score', 'relevance', 'id', 'content', ...(options.explain ? ['parts'] : [])]
          const left = (answer.leftOut ?? []).map(({ id, reason, relevance }) => [relevance.toFixed(2), id, reason])
          return [
            table(heads, rows),
            ...(left.length === 0 ? [] : [table(['relevance', 'left out', 'reason'], left)]),
          ].join('\n')
        })
      }),
    )

  program
    .command('get <ref> <id>')
    .description('print the content of one entry')
    .option('--as-of <moment>', 'as of a position or an instant')
    .action(
      action<{ asOf?: string }>(async ({ client, output }, [ref = '', id = ''], view) => {
        const entry = await client.memory.get(ref, id, view)
        output.show(entry, () => entry.content)
      }),
    )

  program
    .command('revise <ref> <id> [content]')
    .description(
      'store the next version of an entry; without content, tags and trust, read the content from standard input',
    )
    .option('-t, --tag <tag...>', 'the new tags; without this, the tags stay')
    .option(...trustOption)
    .option('--readers <ids>', 'only change who may read it, separated by commas; an empty text for everyone')
    .action(
      action<RevisedOptions>(async ({ client, output }, [ref = '', id = '', given], options) => {
        const { tag: tags, trust, readers } = options
        const isText = tags === undefined && trust === undefined && readers === undefined
        const content = given ?? (isText ? await readInput('content') : undefined)
        const entry = await client.memory.revise(ref, id, { content, tags, trust, ...parseReaders(readers) })
        output.show(entry, () => entry.id)
      }),
    )

  program
    .command('delete <ref> <id>')
    .description('delete an entry; earlier snapshots keep it')
    .action(
      action(async ({ client, output }, [ref = '', id = '']) => {
        const answer = await client.memory.delete(ref, id)
        output.show(answer, () =>
          answer.deleted ? 'deleted' : `nothing was deleted: there is no entry ${id} under ${ref}`,
        )
      }),
    )

  program
    .command('refs')
    .description('list the memoryRefs of the tenant')
    .action(
      action(async ({ client, output }) => {
        const answer = await client.memory.refs()
        const rows = answer.refs.map((ref) => [ref.memoryRef, String(ref.entries), ref.lastWriteAt])
        output.show(answer, () => table(['ref', 'entries', 'last write'], rows))
      }),
    )
}

const aboutLeftOut = 'Nothing has the relevance of --min-relevance. --explain shows what was left out.'

function warnOf(reason: string | undefined): void {
  if (reason !== undefined) warn(reason)
}
