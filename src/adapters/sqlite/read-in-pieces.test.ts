import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInPieces } from './read-in-pieces.ts'

type Row = { readonly id: number; readonly text: string }

/** A table whose reads are counted: how many, and the rows of the largest. */
function tableOf(texts: readonly string[]) {
  const reads: number[] = []
  let revision = 1
  const list = {
    *rowsAfter(last: Row | null) {
      const read = reads.push(0) - 1
      for (let id = (last?.id ?? -1) + 1; id < texts.length; id++) {
        reads[read] = (reads[read] ?? 0) + 1
        yield { id, text: texts[id] ?? '' }
      }
    },
    characters: ({ text }: Row) => text.length,
    decode: ({ id }: Row) => id,
    revision: () => revision,
  }
  return { list, reads, change: () => revision++ }
}

const ids = (count: number) => Array.from({ length: count }, (_, at) => at)
const now = async <T>(work: () => T): Promise<T> => work()

test('a list is read in pieces of few rows and few characters, each of them once and in order', async () => {
  const short = tableOf(ids(1_234).map(String))
  assert.deepEqual(await readInPieces(now, short.list), ids(1_234))
  assert.deepEqual(short.reads, [500, 500, 234])
  const long = tableOf(ids(40).map(() => 'x'.repeat(65_536)))
  assert.deepEqual(await readInPieces(now, long.list), ids(40))
  assert.deepEqual(long.reads, [16, 16, 8])
  const none = tableOf([])
  assert.deepEqual(await readInPieces(now, none.list), [])
  assert.deepEqual(none.reads, [0])
})

test('a list that changed between two pieces is read again, and at last at once', async () => {
  const once = tableOf(ids(600).map(String))
  let changes = 1
  const changing = async <T>(work: () => T): Promise<T> => {
    const done = work()
    if (changes-- > 0) once.change()
    return done
  }
  assert.deepEqual(await readInPieces(changing, once.list), ids(600))
  assert.deepEqual(once.reads, [500, 500, 100])
  const always = tableOf(ids(600).map(String))
  const restless = async <T>(work: () => T): Promise<T> => {
    const done = work()
    always.change()
    return done
  }
  assert.deepEqual(await readInPieces(restless, always.list), ids(600))
  assert.deepEqual(always.reads, [500, 500, 500, 600])
})
