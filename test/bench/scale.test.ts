import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import {
  type CapacityFigures,
  currentScalePage,
  type DatabaseFigures,
  nodeHolds,
  readPerformance,
  renderScalePage,
  scalePage,
  verifyRounds,
  verifySeconds,
} from '../../bench/scale.ts'

const figures: DatabaseFigures = {
  ...{ indexBytesPerEntry: 500, bytesPerEntryInBatches: 1_000 },
  ...{ putsPerSecondOneTenant: 1_000, putsPerSecondManyTenants: 500, getsPerSecond: 1, listsPerSecond: 1 },
  ...{ verifiedEntriesPerSecond: 100_000, verifiedAgainPerSecond: 200_000, backupBytesPerSecond: 100e6 },
}
const capacity: CapacityFigures = {
  ...{ date: '2026-01-02', commit: 'abc', cores: '2 cores', loadAverage: '1', entries: 10 },
  ...{ sqlite: figures, postgres: figures },
}
const measured = `- date: 2026-01-01
- commit: def
| retrieve p95: four words | 1,000,000 | 35.7 ms (1 ms–2 ms) |
| SQLite     | 100,000 | 1,072 bytes |
| PostgreSQL |  10,000 | 2,000 bytes |
`

test('docs/SCALE.md is what the program makes of the stored figures', () => {
  assert.equal(readFileSync(scalePage, 'utf8'), currentScalePage(), 'run: node bench/scale.ts')
})

test('the page names commit and date of its inputs, and multiplies them', () => {
  const page = renderScalePage(readPerformance(measured), capacity)
  for (const fact of ['abc', '2026-01-02', 'def', '2026-01-01', '35.7 ms']) assert.ok(page.includes(fact), fact)
  const [cells] = page
    .split('\n')
    .filter((line) => line.startsWith('| 10,000,000,000'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
  // 2 TB hold 1,000,000,000 entries of 2,000 bytes; ten such nodes write 5,000 a second, and each is copied at 100 MB a second.
  assert.deepEqual(cells?.slice(1, -1), [
    ...['10,000,000,000', '10', '20 TB', '5 TB', '50 GB'],
    ...['5,000', '23 days', '5.6 hours', '2.8 hours'],
  ])
})

test('a node is full when its disk, its memory or the time for verification is', () => {
  assert.equal(nodeHolds(2_000, figures).by, 'disk')
  assert.equal(nodeHolds(2_000, { ...figures, indexBytesPerEntry: 1_000 }).by, 'memory')
  assert.deepEqual(nodeHolds(2_000, { ...figures, verifiedEntriesPerSecond: 10 }), {
    by: 'verification',
    entries: 864_000,
  })
})

test('a large tenant is verified in rounds', () => {
  assert.deepEqual([1, 250_000, 250_001, 500_000, 1_000_000, 10_000_000].map(verifyRounds), [1, 1, 2, 2, 4, 64])
  assert.equal(verifySeconds(100_000, figures), 1)
  // Four rounds: ten seconds for the first, five for each of the others.
  assert.equal(verifySeconds(1_000_000, figures), 25)
})

test('a page of the bench without a figure is an error, not a guess', () => {
  assert.throws(() => readPerformance(measured.replace('2,000 bytes', '—')), /has no bytes of PostgreSQL/)
  assert.throws(() => readPerformance(measured.replace('- commit: def\n', '')), /has no commit/)
  assert.throws(() => readPerformance(measured.replace('retrieve', 'search')), /no times of retrieve/)
})
