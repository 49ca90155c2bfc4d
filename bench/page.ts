import { writeFileSync } from 'node:fs'
import { type BlockingLine, blockingHeader, renderBlocking } from './blocking.ts'
import type { Machine } from './machine.ts'
import type { Result } from './recorder.ts'
import { renderMachine, renderResults, renderTable } from './report.ts'
import { rows } from './works.ts'

/** The pages that the bench writes itself. They contain what one run measured, and no other figure. */

export const performancePage = 'docs/PERFORMANCE.md'
export const blockingPage = 'docs/PERFORMANCE-BLOCKING.md'

const generated = (command: string) => `<!-- Written by \`${command}\`. Do not edit: the next run replaces it. -->`

export const performanceIntro = `${generated('npm run bench')}

# Performance

\`npm run bench\` measures everything on this page again and writes it. No figure is from another run.

Each row is a ratio of two sides that ran in turns in short slices, or a figure of one side where the unit says so. The cell has the median of the slices,
with the smallest and the largest in brackets. Six slices of each side go before: a server runs for days. Only ratios can be compared with another machine.

- **Raw** is hand-written code with the same SQL, rows, indexes, audit hashes and durability, without a queue, validation and redaction.
  Beside SQLite both sides add their rows to the full-text index within the measured time, some 256 together, merge its segments,
  and make what a draft does not have: ids, salts, and the words of the texts for that index.
- **share**: the rate of Colophon beside the reference. More is better. **×**: the time, memory or CPU beside the reference. Less is better.
- **Entries**: how many are stored in one ref before it is measured.
- The targets are those of the design. A missed target is a row, not an error.

| command | measures |
|---|---|
| \`npm run bench\` | this page; the same figures with both sides in \`.bench/results.md\` |
| \`npm run bench -- --only TEXT\` | the rows whose section or name contains the text; does not write the page |
| \`npm run bench -- --quick\` | whether it still runs; does not write the page |
| \`npm run bench -- --blocking\` | the longest block of the event loop for each long operation; writes a page of its own |
| \`npm run bench -- --peers\` | other products; installs them (300 MB), writes \`.bench/peers.md\` |
| \`npm run bench:recall\` | how much retrieval finds |
| \`node bench/hostile/main.ts\` | what one hostile request costs other tenants |
| \`node bench/processes.ts\` | several servers on one PostgreSQL |
| \`node bench/capacity.ts\` | constants of [SCALE.md](SCALE.md), which \`node bench/scale.ts\` writes |
| \`node bench/compaction.ts\`, \`consolidation.ts\`, \`distillation.ts\`, \`forget.ts\`, \`upkeep.ts\` | puts beside long operations |
| \`node bench/index-cost.ts\`, \`redaction.ts\` | the search index and the redactor alone |
`

export function renderPerformancePage(machine: Machine, results: readonly Result[]): string {
  const inOrder = rows.flatMap(
    ({ id, entries }) => results.find((one) => one.id === id && one.entries === entries) ?? [],
  )
  const missed = inOrder.filter(({ verdict }) => verdict === 'MISSED').length
  const judged = inOrder.filter(({ verdict }) => verdict === 'MISSED' || verdict === 'met').length
  return [
    performanceIntro,
    `## The run\n\n${renderMachine(machine)}\n- targets: ${judged - missed} met, ${missed} missed\n`,
    renderResults(inOrder, { isDetailed: false }),
    '',
  ].join('\n')
}

/** The rows of the page that this run did not measure. A page with holes would have to keep older figures. */
export function missingRows(results: readonly Result[]): string[] {
  return rows
    .filter(({ id, entries }) => !results.some((one) => one.id === id && one.entries === entries))
    .map(({ work, entries }) => `${work.section}: ${work.work}${entries === null ? '' : ` at ${entries}`}`)
}

export const blockingIntro = `${generated('npm run bench -- --blocking')}

# What blocks the event loop

\`npm run bench -- --blocking\` fills a SQLite database, starts a server on it, and does each operation through HTTP while a timer of 2 ms in the
server records its delay. Target: no synchronous piece of work over 50 ms.

- **Timer delay**: what another request would have waited, with the other load of the machine in it.
- **Longest block**: the longest time during which the event loop ran nothing else, without the time in which the thread waited for a core and
  without garbage collection. Only this is judged; disk waits are in it.
- **Longest CPU**: the most CPU time that the thread used without a pause, with garbage collection.
- An operation that takes longer than two minutes is cut off; its blocks until then count.
`

export function renderBlockingPage(machine: Machine, entries: number, lines: readonly BlockingLine[]): string {
  const over = lines.filter(({ verdict }) => verdict === 'OVER').length
  return [
    blockingIntro,
    `## The run\n\n${renderMachine(machine)}\n- entries: ${entries.toLocaleString('en-US')}\n- operations with a block over 50 ms: ${over} of ${lines.length}\n`,
    renderTable(blockingHeader, lines.map(renderBlocking)),
    '',
  ].join('\n')
}

export function writePage(path: string, text: string): void {
  writeFileSync(path, text)
}
