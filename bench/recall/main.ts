// The recall of search on every set that is there: npm run bench:recall [-- --data FOLDER] [--embedder] [--write]
// --embedder also ranks with the offline embedders (an hour for the first time, then their vectors are in the temporary folder); without it, their
// rows stay as they were written. --write writes docs/RECALL.md. --relevance measures and writes only its parts about silence and calibration.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { autoMinOf, probabilityOf } from '../../src/core/search/relevance.ts'
import { relevanceModel } from '../../src/core/search/relevance-model.ts'
import { type Asked, collect, loadSets, loadSilenceSets } from './collect.ts'
import { documentsNote, longTextsNote } from './documents-note.ts'
import { ablations, plainBm25, setFigures } from './figures.ts'
import { options, root } from './options.ts'
import { autoFigures, reliability } from './relevance-figures.ts'
import { loadConversations } from './sets/conversations.ts'
import { createNearness, embedders } from './vectors.ts'

const packages = join(root, 'node_modules')
const { sets, absent } = loadSets(options.data, packages)
const notes = absent.map((file) => `${file} was not there: its set was not measured.\n`)
const asked = sets.flatMap((set) => collect(set))
const conversations = loadConversations(packages)
const askedConversations = conversations.flatMap((set) => collect(set))
const silenceSets = loadSilenceSets(options.data, packages, sets)
const all = [...asked, ...askedConversations, ...silenceSets.flatMap((set) => collect(set))].filter(
  ({ question }) => question.category !== '5',
)
const relevances = new Map(all.map((each) => [each, relevancesOf(each)]))
const { autoMin } = relevanceModel
const relevancePart = [
  '## Silence: `min_relevance`',
  '',
  `With \`auto\` (a message of a conversation from ${autoMin.message}, the best of the long texts from ${autoMin.firstText} and the others from ${autoMin.text}, a short memory that stands alone from ${autoMin.memory}, if no entry has the first name from ${autoMin.stranger}):`,
  '',
  ...[...sets, ...conversations, ...silenceSets].map((set) => `- ${autoFigures([set], all, keptOf)}`),
  '',
  longTextsNote,
  'These are figures of the fitted model on the sets that it was fitted on. `node bench/recall/fit.ts` prints the cross-validated ones.',
  '',
  '## Calibration',
  '',
  'Of the first ten hits of every question with such a relevance, how many bear on it:',
  '',
  reliability(all, (each) => relevances.get(each) ?? []),
].join('\n')
const file = join(root, 'docs/RECALL.md')
const page = options.relevance ? withRelevancePart(readFileSync(file, 'utf8')) : await wholePage()
console.log(options.relevance ? relevancePart : page)
if (options.write) writeFileSync(file, page)

function withRelevancePart(written: string): string {
  return written.replace(/^## Silence[\s\S]*?(?=^## Ablation$)/m, () => `${relevancePart}\n`)
}

async function wholePage(): Promise<string> {
  const rows = [...sets, ...conversations].flatMap((set) => [
    ...setFigures(
      set,
      'words',
      [...asked, ...askedConversations].filter((each) => each.set === set.key),
    ),
    ...plainBm25(set),
  ])
  let rowsBefore: string[] = []
  if (options.embedder) {
    for (const embedder of embedders) {
      const nearness = await createNearness(sets, embedder)
      for (const set of sets)
        rows.push(...setFigures(set, `words and ${embedder.name}`, collect(set, nearness.of(set))))
      await nearness.close()
    }
  } else {
    rowsBefore = readFileSync(file, 'utf8').match(/^\|.*\| words and .*$/gm) ?? []
    notes.push(
      'The rows with an embedder are of an earlier run, and of the ranking at that time: `--embedder` measures them.\n',
    )
  }
  return [
    '# Recall',
    '',
    'How much search finds, and when it stays silent. Written by `npm run bench:recall -- --write`; the relevance model is fitted by',
    '`node bench/recall/fit.ts`, the second ranking by `node bench/recall/fit-ranking.ts`, whose report with what each feature adds to questions it was not',
    'fitted on is `bench/recall/ranking-report.md`. LoCoMo, PrecisionMemBench and GateMem are public sets that are not part of this project; only half of',
    'each is used here. Intervals are 95 % bootstrap intervals over questions.',
    '',
    ...notes,
    '## Ranking',
    '',
    '| set | by | questions | figure | value | interval |',
    '|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
    ...rowsBefore,
    '',
    documentsNote,
    relevancePart,
    '## Ablation',
    '',
    'What is lost when one feature has no weight in both rankings: recall@10, for GateMem coverage@20.',
    '',
    ...ablations(sets, asked),
    '',
  ].join('\n')
}

function relevancesOf({ hits }: Asked): number[] {
  let least = 1
  return hits.map(({ signals }) => {
    least = Math.min(least, probabilityOf(signals))
    return least
  })
}

function keptOf(each: Asked): string[] {
  const chances = relevances.get(each) ?? []
  const first = each.hits.slice(0, 20)
  const end = first.findIndex(({ signals }, at) => (chances[at] ?? 0) < autoMinOf(signals))
  return first.slice(0, end < 0 ? first.length : end).map(({ id }) => id)
}
