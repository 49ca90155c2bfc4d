import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'
import type { Spread } from './pair.ts'
import type { Result } from './recorder.ts'
import type { Work } from './works.ts'

/** A table that reads well both as text and as Markdown. */
export function renderTable(header: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, 1, ...lines.map((line) => (line[column] ?? '').length)),
  )
  const pad = (cell: string, column: number) =>
    (column === 0 ? cell.padEnd : cell.padStart).call(cell, widths[column] ?? 0)
  const row = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [row(header), rule, ...lines.map(row)].join('\n')
}

export function renderMachine(machine: Machine): string {
  return Object.entries(machine)
    .map(([name, value]) => `- ${name}: ${value}`)
    .join('\n')
}

const header = ['work', 'entries', 'measured', 'target', 'ideal', ''] as const

/** One table per section, with the absolute figures of both sides if asked for. */
export function renderResults(results: readonly Result[], { isDetailed }: { isDetailed: boolean }): string {
  const sections = [...new Set(results.map(({ work }) => work.section))]
  return sections
    .map((section) => {
      const lines = results.filter(({ work }) => work.section === section)
      const cells = lines.map((result) => [...renderResult(result), ...(isDetailed ? sidesOf(result) : [])])
      return `## ${section}\n\n${renderTable(isDetailed ? [...header, 'ours', 'reference'] : header, cells)}`
    })
    .join('\n\n')
}

function renderResult({ work, entries, measured, reason, verdict }: Result): string[] {
  const format = (value: number) => amount(value, work)
  const bound = (value: number | undefined | null) =>
    value == null ? '—' : `${work.unit === 'share' ? '≥' : '≤'} ${format(value)}`
  return [
    work.work,
    entries === null ? '—' : entries.toLocaleString('en-US'),
    measured === null ? `not measured: ${reason}` : spread(measured, format),
    bound(work.target),
    bound(work.stretch),
    verdict === 'no target' || verdict === 'not measured' ? '' : verdict,
  ]
}

function amount(value: number, { unit }: Work): string {
  if (unit === 'times') return `${value.toFixed(2)} ×`
  if (unit === 'share') return value.toFixed(2)
  return `${value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)} ${unit}`
}

/** Writes are per second, reads in microseconds. */
function sidesOf({ work, judged, reference }: Result): string[] {
  const format = (value: number) =>
    work.unit === 'share' || value >= 1_000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
  return [judged, reference].map((side) => (side ? spread(side, format) : ''))
}

function spread({ median, min, max }: Spread, format: (value: number) => string): string {
  return min === max ? format(median) : `${format(median)} (${format(min)}–${format(max)})`
}

export function renderProgress(result: Result): string {
  const [work, entries, measured, target, , verdict] = renderResult(result)
  const [ours = '', reference = ''] = sidesOf(result)
  return `${work} at ${entries}: ${measured}, target ${target} ${verdict} ${ours === '' ? '' : `[${ours} beside ${reference}]`}`
}

export function saveReport(folder: string, name: string, report: string, data: unknown): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), report)
  writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(data, null, 2)}\n`)
}
