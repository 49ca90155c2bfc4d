import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  blockingIntro,
  blockingPage,
  missingRows,
  performanceIntro,
  performancePage,
  renderPerformancePage,
} from '../../bench/page.ts'
import { createRecorder, type Result } from '../../bench/recorder.ts'
import { rows } from '../../bench/works.ts'

/** The pages of the bench are written by it alone: a figure that someone typed would not be that of the run that the page names. */

const measuredCell = /^(?:not measured: .+|[\d.,]+(?: (?:×|ms|bytes|KB|MB))?(?: \([^|]+–[^|]+\))?)$/
const verdicts = ['met', 'MISSED', 'SUSPECT', '']

/** The page with every figure of the run replaced, so that two runs give the same text. */
function shapeOf(page: string): string[] {
  return page.split('\n').map((line) => {
    if (/^- [^*]/.test(line) && !performanceIntro.includes(line)) return line.replace(/: .*/, ': …')
    if (!line.startsWith('| ') || performanceIntro.includes(line)) return line.replace(/-+/g, '-')
    const [work = '', entries = '', measured = '', target = '', stretch = '', verdict = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim())
    if (work === 'work') return 'header'
    assert.match(measured, measuredCell, line)
    assert.ok(verdicts.includes(verdict), line)
    return [work, entries, target, stretch].join(' | ')
  })
}

const isMachineLine = (line: string) => line.endsWith(': …')

function resultsOfEverything(value: number): Result[] {
  return rows.map(({ id, entries, work }) => ({
    ...{ id, entries, work },
    measured: { median: value, min: value / 2, max: value * 2 },
    verdict: 'met',
  }))
}

test('the page of the bench is what the bench writes: its text, and one row for each work', () => {
  const page = readFileSync(performancePage, 'utf8')
  assert.ok(page.startsWith(performanceIntro))
  const written = shapeOf(page).filter((line) => !isMachineLine(line))
  const expected = shapeOf(renderPerformancePage({ date: 'today' }, resultsOfEverything(1.5))).filter(
    (line) => !isMachineLine(line),
  )
  assert.deepEqual(written, expected)
  for (const fact of ['date', 'commit', 'targets']) assert.match(page, new RegExp(`^- ${fact}: `, 'm'))
})

test('a hand-written figure, an own sentence and a missing row are all noticed', () => {
  const page = renderPerformancePage({ date: 'today' }, resultsOfEverything(1.5))
  const shape = shapeOf(page)
  const changed = [
    page.replace('## Provenance', 'It was 3 times as fast last year.\n\n## Provenance'),
    page.replace(/\n\| put, one at a time[^\n]*/, ''),
    page.replace('≥ 0.90', '≥ 0.50'),
  ]
  for (const other of changed) assert.notDeepEqual(shapeOf(other), shape)
  assert.throws(() => shapeOf(page.replace('1.50 × (0.75 ×–3.00 ×)', 'about the same')))
})

test('a page is written only if every row was measured, or says why not', async () => {
  const recorder = createRecorder({ slices: 1, warmupSlices: 0, only: '', onResult: () => {} })
  assert.equal(missingRows(recorder.results).length, rows.length)
  for (const { id, entries } of rows) recorder.note(id, [1, 2, 3], entries ?? undefined)
  assert.deepEqual(missingRows(recorder.results), [])
  const other = createRecorder({ slices: 1, warmupSlices: 0, only: '', onResult: () => {} })
  other.skip([...new Set(rows.map(({ id }) => id))], 'no disk')
  assert.deepEqual(missingRows(other.results), [])
  assert.match(renderPerformancePage({}, other.results), /not measured: no disk/)
})

test('a result is judged by its target: a share must reach it, everything else must stay below', () => {
  const recorder = createRecorder({ slices: 1, warmupSlices: 0, only: '', onResult: () => {} })
  recorder.note('putOne', [0.91], 1_000)
  recorder.note('putOne', [0.89], 1_000)
  recorder.note('idleMegabytes', [115])
  recorder.note('idleMegabytes', [116])
  recorder.note('searchRare', [59], 100_000)
  recorder.note('searchRare', [59], 1_000_000)
  assert.deepEqual(
    recorder.results.map(({ verdict }) => verdict),
    ['met', 'MISSED', 'met', 'MISSED', 'MISSED', 'met'],
  )
})

test('the page about blocks, if there is one, was written by the bench', () => {
  if (!existsSync(blockingPage)) return
  const page = readFileSync(blockingPage, 'utf8')
  assert.ok(page.startsWith(blockingIntro))
  for (const line of page.slice(blockingIntro.length).split('\n'))
    assert.match(line, /^(?:$|## The run$|- [a-z0-9 ]+: |\|)/)
})
