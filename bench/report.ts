import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from './machine.ts'
import type { Spread } from './pair.ts'
import type { Result } from './recorder.ts'

const header = ['work', 'entries', 'judged', 'reference', 'ratio', 'target', '']

/** Tables that read well both as text and as Markdown. */
export function renderReport(machine: Machine, results: readonly Result[], slices: number): string {
  const sections = [...new Set(results.map((result) => result.section))]
  const missed = results.filter((result) => result.verdict === 'MISSED').length
  const suspect = results.filter((result) => result.verdict === 'SUSPECT').length
  return [
    '# Benchmark',
    ...Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`),
    '',
    `Medians of ${slices} interleaved slices, with the smallest and largest slice in brackets. Writes are per second, reads in`,
    'microseconds. A ratio is the median of the ratios of neighbouring slices: judged / reference. Only ratios travel.',
    ...(slices < 10 ? ['', 'Fewer than 10 slices: this shows that it runs, not how fast.'] : []),
    ...sections.map((section) => renderSection(section, results)),
    '',
    suspect === 0
      ? ''
      : `${suspect} lines are SUSPECT: raw is slower than ours, so its SQL no longer is what ours is. Mend bench/raw-*.ts.`,
    missed === 0 ? 'No line misses its target.' : `${missed} of ${results.length} lines miss their target.`,
    '',
  ].join('\n')
}

function renderSection(section: string, results: readonly Result[]): string {
  const lines = results.filter((result) => result.section === section).map(renderResult)
  const widths = header.map((title, column) =>
    Math.max(title.length, ...lines.map((line) => (line[column] ?? '').length)),
  )
  const row = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return ['', `## ${section}`, '', row(header), rule, ...lines.map(row)].join('\n')
}

function renderResult({ work, entries, judged, reference, ratio, shown, target, verdict }: Result): string[] {
  const number = (value: number) =>
    shown === 'rate' || value >= 1_000 ? Math.round(value).toLocaleString('en-US') : value.toFixed(1)
  const factor = (value: number) => value.toFixed(2)
  return [
    work,
    entries.toLocaleString('en-US'),
    spread(judged, number),
    spread(reference, number),
    spread(ratio, factor),
    target === null ? '—' : `${shown === 'rate' ? '≥' : '≤'} ${factor(target)}`,
    verdict === 'no target' ? '' : verdict,
  ]
}

function spread({ median, min, max }: Spread, format: (value: number) => string): string {
  return `${format(median)} (${format(min)}–${format(max)})`
}

export function renderProgress(result: Result): string {
  const [work, entries, judged, reference, ratio, target, verdict] = renderResult(result)
  return `${work} at ${entries}: ${judged} against ${reference}, ratio ${ratio} ${target} ${verdict}`
}

export function saveReport(folder: string, report: string, data: unknown): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'results.md'), report)
  writeFileSync(join(folder, 'results.json'), `${JSON.stringify(data, null, 2)}\n`)
}
