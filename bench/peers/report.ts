import type { Machine } from '../machine.ts'
import type { Line } from './contest.ts'
import { peerVersion } from './install.ts'
import { groups } from './products.ts'

/** The tables of a run, as text and as Markdown. */
export function renderPeers(machine: Machine, lines: readonly Line[], slices: number): string {
  const parts = groups
    .map(({ name }) => name)
    .filter((name) => lines.some(({ group }) => group === name))
    .flatMap((group) => {
      const ofGroup = lines.filter((line) => line.group === group)
      const sizes = [...new Set(ofGroup.map(({ size }) => size))]
      return [`\n## ${group}\n`, ...durabilityOf(group), ...sizes.map((size) => renderSize(size, ofGroup))]
    })
  return [
    '# Beside other products',
    ...Object.entries(machine).map(([name, value]) => `- ${name}: ${value}`),
    '',
    `Medians of ${slices} interleaved slices. In brackets: how many times as long as Colophon it takes, with the smallest and`,
    'largest slice; above one, Colophon is faster. "found": in so many searches the memory asked for was among the results.',
    ...parts,
    '',
  ].join('\n')
}

function durabilityOf(group: string): string[] {
  const products = groups.find(({ name }) => name === group)?.products ?? []
  return products.map(({ name, package: from, durability }) => {
    const version = from === null ? '' : ` (${from} ${peerVersion(from)})`
    return `- ${name}${version}: ${durability}.`
  })
}

function renderSize(size: number, lines: readonly Line[]): string {
  const ofSize = lines.filter((line) => line.size === size)
  const products = [...new Set(ofSize.map(({ product }) => product))]
  const works = [...new Set(ofSize.map(({ work, atOnce }) => nameOf(work, atOnce)))]
  const rows = works.map((name) => [
    name,
    ...products.map((product) => {
      const line = ofSize.find((one) => one.product === product && nameOf(one.work, one.atOnce) === name)
      return line === undefined ? '' : renderCell(line, product === products[0])
    }),
  ])
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    `\n### ${size.toLocaleString('en-US')} memories\n`,
    row(['work', ...products]),
    row(['---', ...products.map(() => '---')]),
    ...rows.map(row),
  ].join('\n')
}

const nameOf = (work: string, atOnce: number) => (atOnce === 1 ? work : `${work}, ${atOnce} at once`)

function renderCell({ time, times, found, remark }: Line, isOwn: boolean): string {
  const figures =
    time === null
      ? []
      : [
          duration(time.median),
          ...(isOwn || times === null
            ? []
            : [`(${factor(times.median)} ×; ${factor(times.min)}–${factor(times.max)})`]),
          ...(found === null ? [] : [`found ${Math.round(found * 100)} %`]),
        ]
  return [...figures, ...(remark === null ? [] : [`**${remark}**`])].join(' ')
}

const factor = (value: number) => (value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toPrecision(2))

function duration(microseconds: number): string {
  if (microseconds < 1_000) return `${microseconds.toPrecision(3)} µs`
  return microseconds < 1_000_000
    ? `${(microseconds / 1_000).toPrecision(3)} ms`
    : `${(microseconds / 1_000_000).toFixed(1)} s`
}

export function renderLine(line: Line): string {
  return `${line.size} ${nameOf(line.work, line.atOnce)} ${line.product}: ${renderCell(line, false)}`
}
