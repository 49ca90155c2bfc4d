import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bar, createProgressBar } from './progress.ts'

function fakeStream(isTTY: boolean) {
  const written: string[] = []
  const stream = { isTTY, columns: 60, write: (text: string) => written.push(text) }
  return { written, stream: stream as unknown as NodeJS.WriteStream }
}

test('a progress bar is empty at 0 %, full at 100 %, and never longer', () => {
  assert.equal(bar(0, 10), `${'░'.repeat(24)}   0%`)
  assert.equal(bar(5, 10), `${'█'.repeat(12)}${'░'.repeat(12)}  50%`)
  assert.equal(bar(999, 1_000), `${'█'.repeat(23)}░  99%`)
  for (const [done, total] of [
    [10, 10],
    [12, 10],
    [0, 0],
  ] as const)
    assert.equal(bar(done, total), `${'█'.repeat(24)} 100%`)
})

test('on a terminal, progress is one line that ends once', () => {
  const { written, stream } = fakeStream(true)
  const progress = createProgressBar('imported', stream)
  progress.at(1, 2)
  progress.at(2, 2)
  progress.end()
  progress.end()
  assert.deepEqual(written, [
    `\rimported ${bar(1, 2)} (1 of 2)\u001b[K`,
    `\rimported ${bar(2, 2)} (2 of 2)\u001b[K`,
    '\n',
  ])
})

test('updates are throttled, but the last one is always shown', () => {
  const { written, stream } = fakeStream(true)
  const progress = createProgressBar('copied', stream)
  for (let done = 1; done <= 1_000; done++) progress.at(done, 1_000)
  assert.ok(written.length < 100, `${written.length} lines`)
  assert.match(written.at(-1) ?? '', /100% \(1000 of 1000\)/)
})

test('a line never wraps, and control characters are replaced', () => {
  const { written, stream } = fakeStream(true)
  createProgressBar('job', stream).going(`\u001b[2J${'x'.repeat(200)}`)
  assert.ok(written[0]?.startsWith('\rjob 0 s, ·[2Jxxx'))
  assert.equal((written[0] ?? '').length, 59 + '\r\u001b[K'.length)
})

test('nothing is written to a pipe', () => {
  const { written, stream } = fakeStream(false)
  const progress = createProgressBar('imported', stream)
  progress.at(2, 2)
  progress.going('on')
  progress.end()
  assert.deepEqual(written, [])
})
