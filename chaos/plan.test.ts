import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments, WrongCall } from './arguments.ts'
import { faultsOf, operationsOf, roundOf } from './plan.ts'

function first<T>(count: number, all: Iterable<T>): T[] {
  const taken: T[] = []
  for (const item of all) {
    taken.push(item)
    if (taken.length === count) break
  }
  return taken
}

test('a seed stands for one plan, another seed for another', () => {
  const operations = (seed: string) => [0, 1].map((client) => first(300, operationsOf(seed, client)))
  assert.deepEqual(operations('7'), operations('7'))
  assert.notDeepEqual(operations('7'), operations('8'))
  assert.notDeepEqual(operations('7')[0], operations('7')[1], 'clients do different things')
  assert.deepEqual(first(40, faultsOf('7', 'sqlite', 60)), first(40, faultsOf('7', 'sqlite', 60)))
  assert.notDeepEqual(first(40, faultsOf('7', 'sqlite', 60)), first(40, faultsOf('8', 'sqlite', 60)))
})

test('every round has every kind of fault, and every kind of operation comes soon', () => {
  for (const database of ['sqlite', 'postgres'] as const) {
    const round = roundOf(database, 60)
    assert.ok(round.includes('poison-job') && !roundOf(database, 59).includes('poison-job'))
    const kinds = first(round.length * 3, faultsOf('any', database, 60)).map(({ kind }) => kind)
    for (const start of [0, 1, 2].map((number) => number * round.length))
      assert.deepEqual(kinds.slice(start, start + round.length).sort(), [...round].sort())
  }
  const kinds = new Set(first(600, operationsOf('any', 0)).map(({ kind }) => kind))
  assert.equal(kinds.size, 17)
})

test('contents and events are never the same twice', () => {
  const texts = [0, 1, 2].flatMap((client) =>
    first(1_000, operationsOf('7', client)).flatMap((operation) => {
      if (operation.kind === 'put') return [operation.content]
      if (operation.kind === 'batch') return operation.contents
      return operation.kind === 'ingest' ? [operation.event.eventId] : []
    }),
  )
  assert.equal(new Set(texts).size, texts.length)
})

test('arguments are parsed, and invalid ones are named', () => {
  const read = (...args: string[]) => readArguments(args, () => 'new')
  assert.deepEqual(read(), {
    seed: 'new',
    seconds: 60,
    databases: ['sqlite', 'postgres'],
    json: false,
    help: false,
  })
  assert.deepEqual(read('--seed', '7', '--seconds', '5', '--database', 'postgres', '--json').databases, ['postgres'])
  for (const wrong of [['--seed', 'a b'], ['--seconds', '0'], ['--seconds', 'x'], ['--database', 'toString'], ['more']])
    assert.throws(() => read(...wrong), WrongCall, wrong.join(' '))
})
