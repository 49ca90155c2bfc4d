import type { Product } from './product.ts'
import { type Figure, isKept, type Property } from './property.ts'
import { isPerfect, type Outcome, type Result } from './run.ts'

/** The measured figures, as text and as JSON. */

const shownMax = 5

const figureText = ({ what, count, of, where }: Figure): string =>
  `${what}: ${count} of ${of}${where.length === 0 ? '' : ` (${where.slice(0, shownMax).join(', ')})`}`

function outcomeText(outcome: Outcome): string {
  if (outcome.kind !== 'measured') return `${outcome.kind}: ${outcome.reason}`
  return outcome.figures.map(figureText).join('; ')
}

/** One line while it runs. */
export function lineOf({ product, property, outcome }: Result): string {
  const mark = outcome.kind !== 'measured' ? '–' : isPerfect(outcome) ? '✔' : '✖'
  return `${mark} ${product.id.padEnd(20)} ${property.id.padEnd(11)} ${outcomeText(outcome)}`
}

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(row)].join('\n')

export function unique<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

function outcomeOf(results: readonly Result[], property: Property, product?: Product): Outcome | undefined {
  const fits = (one: Result) => one.property.id === property.id && (!product || one.product.id === product.id)
  return results.find(fits)?.outcome
}

/** How many of its figures are kept. */
function keptText(outcome: Outcome | undefined): string {
  if (outcome?.kind !== 'measured') return outcome?.kind ?? ''
  const judged = outcome.figures.filter(({ kind }) => kind !== 'fact')
  return `${judged.filter(isKept).length} of ${judged.length}`
}

/** A property in each row, a product in each column. */
export function overview(results: readonly Result[]): string {
  const products = unique(results.map(({ product }) => product))
  const properties = unique(results.map(({ property }) => property))
  return table(
    ['figures as they should be', ...products.map(({ name }) => name)],
    properties.map((property) => [
      property.title,
      ...products.map((product) => keptText(outcomeOf(results, property, product))),
    ]),
  )
}

const wanted = { duty: 'all', breach: '0', fact: 'not judged' } as const

/** Everything that was counted for one property: a product in each row, and the planted fault in the last one. */
export function figureTable(property: Property, results: readonly Result[], controls: readonly Result[]): string {
  const own = [...results, ...controls].filter((one) => one.property.id === property.id)
  const figures = unique(
    own
      .flatMap(({ outcome }) => (outcome.kind === 'measured' ? outcome.figures : []))
      .map((one) => ({ id: one.what, ...one })),
  )
  const cells = (outcome: Outcome): string[] => {
    if (outcome.kind !== 'measured') return [`${outcome.kind}: ${outcome.reason}`, ...figures.slice(1).map(() => '')]
    return figures.map(({ what }) => {
      const found = outcome.figures.find((one) => one.what === what)
      return found === undefined ? 'not offered' : `${found.count} of ${found.of}`
    })
  }
  return table(
    ['', ...figures.map(({ what, kind }) => `${what} (${wanted[kind]})`)],
    own.map((one) => {
      const isControl = controls.includes(one)
      return [isControl ? `*control: ${property.control.fault}*` : one.product.name, ...cells(one.outcome)]
    }),
  )
}

export function jsonOf({ product, property, outcome }: Result) {
  return { product: product.id, property: property.id, ...outcome, perfect: isPerfect(outcome) }
}
