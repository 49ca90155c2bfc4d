import { readFileSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { figureTable, overview, unique } from './report.ts'
import type { Result } from './run.ts'

/** The part of docs/PROOF.md that a run writes. */

const page = fileURLToPath(new URL('../docs/PROOF.md', import.meta.url))
const [begin, end] = ['<!-- written by npm run prove -- --write: begin -->', '<!-- end -->'] as const

export type Measured = {
  readonly results: readonly Result[]
  readonly controls: readonly Result[]
  readonly seed: number
  readonly scale: number
}

function machine(): string {
  const [first] = cpus()
  const load = loadavg()[0]?.toFixed(1)
  const memory = Math.round(totalmem() / 2 ** 30)
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown'}, ${memory} GB, ${process.platform}, Node ${process.versions.node}, load ${load} at the end`
}

function versionOf({ version }: { version(): string }): string {
  try {
    return version()
  } catch {
    return 'not installed'
  }
}

export function writtenPart({ results, controls, seed, scale }: Measured, date = new Date()): string {
  const products = unique(results.map(({ product }) => product))
  const properties = unique(results.map(({ property }) => property))
  // The fault is the same on every database: one row shows that it is noticed.
  const shown = controls.filter(({ product }) => product === controls[0]?.product)
  return [
    `Measured on ${date.toISOString().slice(0, 10)} with seed ${seed} and scale ${scale}, on ${machine()}.`,
    ['| product | version | run with |', '|---|---|---|']
      .concat(products.map((product) => `| ${product.name} | ${versionOf(product)} | ${product.configuration} |`))
      .join('\n'),
    overview(results),
    ...properties.map(
      (property) =>
        `### ${property.title}\n\n${capital(property.measured)}.\n\n${figureTable(property, results, shown)}`,
    ),
  ].join('\n\n')
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

export function writePage(measured: Measured): void {
  const text = readFileSync(page, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error('docs/PROOF.md has no place for it.')
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${writtenPart(measured)}\n\n${text.slice(to)}`)
}
