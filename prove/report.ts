import type { Product } from './product.ts'
import type { Figure, Property } from './property.ts'
import { isPerfect, type Outcome, type Result } from './run.ts'

/** What was measured, for people and for programs. */

const figureText = ({ what, count, of, where }: Figure): string =>
  `${what}: ${count} of ${of}${where.length === 0 ? '' : ` (${where.slice(0, 5).join(', ')})`}`

function outcomeText(outcome: Outcome): string {
  if (outcome.kind !== 'measured') return `${outcome.kind}: ${outcome.reason}`
  return outcome.figures.map(figureText).join('; ')
}

/** One line while it runs. */
export function lineOf({ product, property, outcome }: Result): string {
  const mark = outcome.kind !== 'measured' ? '–' : isPerfect(outcome) ? '✔' : '✖'
  return `${mark} ${product.id.padEnd(22)} ${property.id.padEnd(11)} ${outcomeText(outcome)}`
}

/** In a cell there is room for numbers; the words are in the row's head. */
function cellText(outcome: Outcome): string {
  if (outcome.kind !== 'measured') return outcome.kind
  return outcome.figures.map(({ count, of }) => `${count} / ${of}`).join('<br>')
}

function namesOf(property: Property, results: readonly Result[]): string {
  for (const { property: other, outcome } of results) {
    if (other.id === property.id && outcome.kind === 'measured')
      return outcome.figures
        .map(({ kind, what }) => `${what} (${kind === 'duty' ? 'all is right' : '0 is right'})`)
        .join('<br>')
  }
  return ''
}

function unique<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

/** A property in each row, a product in each column, and in the last one the product with a fault. */
export function markdownTable(results: readonly Result[], controls: readonly Result[]): string {
  const products = unique(results.map(({ product }) => product))
  const properties = unique(results.map(({ property }) => property))
  const outcomeOf = (all: readonly Result[], property: Property, product?: Product) =>
    all.find((one) => one.property.id === property.id && (product === undefined || one.product.id === product.id))
      ?.outcome
  const cell = (outcome: Outcome | undefined) => (outcome === undefined ? '' : cellText(outcome))
  const lines = properties.map((property) => {
    const cells = products.map((product) => cell(outcomeOf(results, property, product)))
    const head = [property.title, namesOf(property, [...results, ...controls])]
    return `| ${[...head, ...cells, cell(outcomeOf(controls, property))].join(' | ')} |`
  })
  const heads = ['property', 'counted', ...products.map(({ name }) => name), 'control: a planted fault']
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...lines].join('\n')
}

/** Why a cell has no number. */
export function markdownReasons(results: readonly Result[]): string {
  const lines = results.flatMap(({ product, property, outcome }) =>
    outcome.kind === 'measured'
      ? []
      : [`| ${product.name} | ${property.title} | ${outcome.kind} | ${outcome.reason} |`],
  )
  return ['| product | property | | why |', '|---|---|---|---|', ...lines].join('\n')
}

export function jsonOf({ product, property, outcome }: Result) {
  return { product: product.id, property: property.id, ...outcome, perfect: isPerfect(outcome) }
}
