// Fits the weights of the second ranking on every set that is there:
// node bench/recall/fit-ranking.ts [--data FOLDER] [--embedder] [--write]
// It prints what the weights do to conversations and questions they were not fitted on (five folds), for all features and without
// each of them. With --write it writes the weights and the report. --embedder also fits the weights of messages with vectors;
// without it they stay as they are.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RerankWeights, rerankWeights } from '../../src/core/search/rerank-weights.ts'
import { weights as firstWeights } from '../../src/core/search/weights.ts'
import { loadSets } from './collect.ts'
import { fitListwise, type Sample } from './listwise.ts'
import { options, root } from './options.ts'
import { figuresOf, reportOf } from './ranking-report.ts'
import { type FirstHits, firstHitsOf } from './rerank-samples.ts'
import { createNearness, embedders } from './vectors.ts'

type RerankedKind = keyof RerankWeights

const folds = 5
/** The share of a score of the first ranking that the softmax of the fit starts from: as it is, it would be too sure. */
const startShare = 0.5
/** How much a question counts. LoCoMo has the hardest questions and the noisiest labels; GateMem has a third as many. */
const shares: Readonly<Record<string, number>> = {
  ...{ locomo: 5, gate: 4, precision: 1 },
  ...{ documents: 0.6, documentsWords: 0.4, documentsShort: 0.3 },
}
const penalties: Readonly<Record<RerankedKind, number>> = { message: 1_000, messageWithVectors: 1_000, text: 100 }
/** Those of the first ranking that are for texts. */
const ofTexts = ['length', 'passage', 'together']
const ofFirst = Object.keys(firstWeights).filter((name) => !ofTexts.includes(name))
const ofMessages = [
  ...ofFirst,
  ...['sessionBehind', 'scoreBefore', 'scoreAfter', 'own', 'start'],
  ...['digits', 'numberWords', 'timeWords', 'exactTimes', 'names'],
]
const features: Readonly<Record<RerankedKind, readonly string[]>> = {
  message: ofMessages,
  messageWithVectors: [
    ...ofMessages,
    ...['similarSession', 'similarBefore', 'similarFarBefore', 'similarAfter', 'similarCovered', 'similarSpeaker'],
  ],
  text: [
    ...['words', 'coverage', 'scattered', 'passage', 'together', 'pairs', 'length'],
    ...['within6', 'within12', 'within20'],
  ],
}

const { sets, absent } = loadSets(options.data, join(root, 'node_modules'))
for (const file of absent) console.log(`There is no ${file}: the fit goes without it.`)
const known = sets.filter(({ key }) => key !== 'strangers')
const asked = known.flatMap((set) => firstHitsOf(set))
const conversations = known.filter(({ key }) => key === 'locomo' || key === 'gate')
for (const embedder of options.embedder ? embedders : []) {
  const nearness = await createNearness(conversations, embedder)
  for (const set of conversations) asked.push(...firstHitsOf(set, embedder.name, nearness.of(set)))
  await nearness.close()
}

type Weights = Readonly<Record<RerankedKind, ReadonlyMap<string, number>>>
const none: Weights = { message: new Map(), messageWithVectors: new Map(), text: new Map() }
const kinds = Object.keys(features) as RerankedKind[]

/** The figures of the questions of each fold by the weights that were fitted on the other folds. */
function crossValidated(used: Readonly<Record<RerankedKind, readonly string[]>>, of: readonly FirstHits[]) {
  const ranked = new Map<FirstHits, readonly string[]>()
  for (let fold = 0; fold < folds; fold++) {
    const fitted = fit(
      used,
      of.filter((each) => foldOf(each) !== fold),
    )
    for (const each of of) if (foldOf(each) === fold) ranked.set(each, orderOf(each, fitted))
  }
  return figuresOf(ranked)
}

const first = figuresOf(new Map(asked.map((each) => [each, orderOf(each, none)])))
const held = crossValidated(features, asked)
const all = fit(features, asked)
if (options.write) writeFileSync(join(root, 'src/core/search/rerank-weights.ts'), weightsFile(all))
const rows = [
  { name: 'the first ranking alone', figures: first },
  { name: 'ranked again, questions of the other folds', figures: held },
  { name: 'ranked again, fitted on all', figures: figuresOf(new Map(asked.map((each) => [each, orderOf(each, all)]))) },
]
const without = kinds.flatMap((kind) => {
  const mine = asked.filter((each) => each.kind === kind)
  const isFirst = (name: string) => name in firstWeights
  const own = features[kind].filter((name) => !isFirst(name))
  const groups = [features[kind].filter(isFirst), own, ...own.map((name) => [name])]
  return groups.map((group) => {
    const used = { ...features, [kind]: features[kind].filter((other) => !group.includes(other)) }
    const name =
      group.length === 1 ? (group[0] as string) : `all ${group === own ? 'further features' : 'of the first ranking'}`
    return { name: `${kind}: ${name}`, figures: crossValidated(used, mine) }
  })
})
const report = reportOf(rows, held, without)
console.log(report)
if (options.write) writeFileSync(join(root, 'bench/recall/ranking-report.md'), report)

/** Questions to the same conversation are in the same fold. */
function foldOf({ set, question }: FirstHits): number {
  const scopes = [...set.scopes.keys()]
  if (set.key === 'locomo') return scopes.indexOf(question.scope) % folds
  const key = set.key === 'gate' ? question.scope : question.id
  return [...key].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9_973, 7) % folds
}

function fit(used: Readonly<Record<RerankedKind, readonly string[]>>, of: readonly FirstHits[]): Weights {
  return {
    message: fitKind('message', used.message, of),
    messageWithVectors: fitKind('messageWithVectors', used.messageWithVectors, of),
    text: fitKind('text', used.text, of),
  }
}

function fitKind(kind: RerankedKind, names: readonly string[], of: readonly FirstHits[]): ReadonlyMap<string, number> {
  const mine = of.filter((each) => each.kind === kind)
  if (mine.length === 0) return new Map()
  const samples = mine.map(({ set, question, embedder, hits }): Sample => {
    return {
      rows: hits.map((hit) => Float64Array.from(names, (name) => hit.features[name] ?? 0)),
      bears: hits.map(({ bears }) => bears),
      start: hits.map(({ score }) => startShare * score),
      share: shareOf(set.key, question.category) / (embedder === null ? 1 : embedders.length),
    }
  })
  const fitted = fitListwise(samples, names.length, penalties[kind])
  const weights = new Map(names.map((name, at) => [name, round((fitted[at] as number) / startShare)]))
  const changes = mine.flatMap(({ hits }) => hits.slice(0, 10).map((hit) => changeOf(hit.features, weights)))
  const mean = changes.reduce((sum, change) => sum + change, 0) / (changes.length || 1)
  return new Map([...[...weights].filter(([, weight]) => weight !== 0), ['constant', round(-mean)]])
}

/** Those of LoCoMo that name the wrong person count little: real ones are rare. */
function shareOf(set: string, category: string): number {
  return (shares[set] ?? 1) * (category === '5' ? 0.05 : 1)
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

function changeOf(own: Readonly<Record<string, number>>, weights: ReadonlyMap<string, number>): number {
  let change = 0
  for (const [name, weight] of weights) change += weight * (own[name] ?? 0)
  return change
}

function orderOf({ kind, hits, rest }: FirstHits, weights: Weights): readonly string[] {
  const scored = hits.map((hit) => ({ id: hit.id, score: hit.score + changeOf(hit.features, weights[kind]) }))
  return [...scored.sort((a, b) => b.score - a.score).map(({ id }) => id), ...rest]
}

function weightsFile(fitted: Weights): string {
  const table = (kind: RerankedKind) => {
    const weights = fitted[kind].size > 0 ? [...fitted[kind]] : Object.entries(rerankWeights[kind])
    return weights.map(([name, weight]) => `    ${name}: ${weight},\n`).join('')
  }
  return [
    '/**',
    ' * What the second ranking adds for each feature, beside the weight of the first. Written by `bench/recall/fit-ranking.ts`;',
    ' * its report is bench/recall/ranking-report.md.',
    ' */',
    'export const rerankWeights: RerankWeights = {',
    ...kinds.map((kind) => `  ${kind}: {\n${table(kind)}  },`),
    '}',
    '',
    '/**',
    ' * `message`: a message of a conversation, found by words only; `messageWithVectors`: with an embedder; `text`: a text that stands',
    ' * alone, among long ones. `constant` keeps the mean of all changes at 0.',
    ' */',
    'export type RerankWeights = Readonly<',
    "  Record<'message' | 'messageWithVectors' | 'text', Readonly<Record<string, number>>>",
    '>',
    '',
  ].join('\n')
}
