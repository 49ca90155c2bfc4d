// Fits the model of relevance on every set that is there: node bench/recall/fit.ts [--data FOLDER] [--write] [--kind KIND]
// It prints what the model does to questions it was not fitted on (five folds), and with --write writes the model: with --kind only
// the weights of that kind, because those of the others move with the installed packages too.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rankFirst } from '../../src/core/search/rank.ts'
import { autoMinOf, type RelevanceSignal } from '../../src/core/search/relevance.ts'
import { relevanceModel } from '../../src/core/search/relevance-model.ts'
import { type Asked, collect, loadSets, loadSilenceSets } from './collect.ts'
import { options, root } from './options.ts'
import { autoFigures, reliability } from './relevance-figures.ts'
import type { RecallSet } from './sets/set.ts'
import { solve } from './solve.ts'

const folds = 5
/** Hits of each question that the model is fitted on. */
const hitsFitted = 10
/** Small sets would not count beside large ones, and the three of documents would count too much. */
const shares: Readonly<Partial<Record<RecallSet['key'], number>>> = {
  ...{ locomo: 1, strangers: 1, gate: 1, precision: 10 },
  ...{ documents: 1, documentsWords: 0.5, documentsShort: 0.5, packages: 1, sessions: 1, mixed: 1 },
}
function shareOf(set: RecallSet['key']): number {
  const share = shares[set]
  if (share === undefined) throw new Error(`The set ${set} has no share in the fit.`)
  return share
}

const names = Object.keys(relevanceModel.weights.memory) as RelevanceSignal[]
const kinds = ['message', 'text', 'memory'] as const

const packages = join(root, 'node_modules')
const { sets: rankedSets, absent } = loadSets(options.data, packages)
const sets = [...rankedSets, ...loadSilenceSets(options.data, packages, rankedSets)]
for (const file of absent) console.log(`There is no ${file}: the fit goes without it.`)
const asked = sets.flatMap((set) => collect(set)).filter(({ question }) => question.category !== '5')
/**
 * The same with the first ranking alone. The sets have few short memories that stand alone, and the second ranking leaves those as
 * they are: their model is fitted on all sets by the first ranking.
 */
const askedFirst = rankedSets
  .flatMap((set) => collect(set, undefined, (...searched) => rankFirst(...searched).ranked))
  .filter(({ question }) => question.category !== '5')

const probabilities = new Map<Asked, number[]>()
for (let fold = 0; fold < folds; fold++) {
  const held = asked.filter((each) => foldOf(each) === fold)
  const weights = fitKinds((each) => foldOf(each) !== fold)
  for (const each of held) probabilities.set(each, alongList(each, weights))
}
console.log('\n# Cross-validated\n')
console.log(reliability(asked, (each) => probabilities.get(each) ?? []))
console.log(autoFigures(sets, asked, (each) => keptOf(each, probabilities.get(each) ?? [])).replaceAll(' · ', '\n'))

const all = fitKinds(() => true)
const lines = kinds.flatMap((kind) => [
  `    ${kind}: {`,
  ...names.map((name, at) => `      ${name}: ${writtenOf(kind, name, all[kind][at] as number)},`),
  '    },',
])
console.log(lines.join('\n'))
if (options.write) {
  const file = join(root, 'src/core/search/relevance-model.ts')
  const model = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    model.replace(/(weights: \{\n)[\s\S]*?(\n {2}\},)/, (_, start, end) => start + lines.join('\n') + end),
  )
}

function writtenOf(kind: (typeof kinds)[number], name: RelevanceSignal, fitted: number): number {
  return options.kind === undefined || options.kind === kind
    ? Number(fitted.toFixed(3))
    : relevanceModel.weights[kind][name]
}

function keptOf({ hits }: Asked, chances: readonly number[]): string[] {
  const first = hits.slice(0, 20)
  const end = first.findIndex(({ signals }, at) => (chances[at] ?? 0) < autoMinOf(signals))
  return first.slice(0, end < 0 ? first.length : end).map(({ id }) => id)
}

/** Questions to the same conversation, and those with words of the same package, are in the same fold. */
function foldOf({ set, question }: Asked): number {
  const { source, scope, id } = question
  const key = source ?? (set === 'documents' || set === 'precision' ? id : scope)
  return [...key].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 9_973, 7) % folds
}

function alongList({ hits }: Asked, weights: Weights): number[] {
  let least = 1
  return hits.slice(0, 20).map(({ signals }) => {
    const sum = names.reduce((total, name, at) => total + (weights[signals.kind][at] as number) * signals[name], 0)
    least = Math.min(least, 1 / (1 + Math.exp(-sum)))
    return least
  })
}

type Weights = Readonly<Record<(typeof kinds)[number], readonly number[]>>

function fitKinds(isFitted: (each: Asked) => boolean): Weights {
  const ranked = asked.filter(isFitted)
  const of = (kind: 'message' | 'text') =>
    fit(
      ranked.map((each) => ({
        ...each,
        hits: each.hits.slice(0, hitsFitted).filter(({ signals }) => signals.kind === kind),
      })),
    )
  return { message: of('message'), text: of('text'), memory: fit(askedFirst.filter(isFitted)) }
}

/** Logistic regression by Newton's method, with a small penalty. */
function fit(questions: readonly Asked[]): number[] {
  const rows = questions.flatMap(({ set, hits }) =>
    hits.slice(0, hitsFitted).map(({ signals, bears }) => ({
      x: names.map((name) => signals[name]),
      y: bears ? 1 : 0,
      share: shareOf(set),
    })),
  )
  let weights = names.map(() => 0)
  for (let step = 0; step < 12; step++) {
    const gradient = names.map((_, at) => -0.5 * (weights[at] as number))
    const hessian = names.map((_, i) => names.map((__, j) => (i === j ? 0.5 : 0)))
    for (const { x, y, share } of rows) {
      const p = 1 / (1 + Math.exp(-x.reduce((sum, value, at) => sum + value * (weights[at] as number), 0)))
      for (let i = 0; i < x.length; i++) {
        gradient[i] = (gradient[i] as number) + share * (y - p) * (x[i] as number)
        const row = hessian[i] as number[]
        for (let j = 0; j <= i; j++)
          row[j] = (row[j] as number) + share * p * (1 - p) * (x[i] as number) * (x[j] as number)
      }
    }
    for (let i = 0; i < names.length; i++)
      for (let j = i + 1; j < names.length; j++) (hessian[i] as number[])[j] = (hessian[j] as number[])[i] as number
    const change = solve(hessian, gradient)
    weights = weights.map((weight, at) => weight + (change[at] as number))
  }
  return weights
}
