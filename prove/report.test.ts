import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readArguments, WrongCall } from './arguments.ts'
import type { Product, Session } from './product.ts'
import { breach, duty, type Figure, fact, isKept, type Property, withFault } from './property.ts'
import { figureTable, lineOf, overview } from './report.ts'
import { isNoticed, isPerfect, prove } from './run.ts'

const session: Session = {
  ingest: async () => {},
  settle: async () => {},
  list: async () => [],
  kill: async () => {},
  stop: async () => {},
}
const product = (more: Partial<Product> = {}): Product => ({
  id: 'one',
  name: 'One',
  version: () => '1.0.0',
  configuration: 'as it is',
  needsPostgres: false,
  notOffered: {},
  open: async () => session,
  ...more,
})
const property = (figures: readonly Figure[], more: Partial<Property> = {}): Property => ({
  id: 'bleed',
  title: 'No bleed',
  measured: 'things are counted',
  needs: [],
  measure: async () => figures,
  control: { fault: 'it leaks', shows: ['leaks'], plant: (same) => same },
  ...more,
})
const options = { seed: 1, scale: 1, databases: null }
const outcomeOf = async (one: Product, what: Property) => {
  const [result] = await prove(one, [what], options)
  assert.ok(result)
  return result
}

test('a duty is kept if all items are, a breach if none is, and zero items prove nothing', () => {
  const kept = [duty('d', 2, 2), breach('b', 0, 2), fact('f', 1, 2), fact('f', 0, 0)]
  const broken = [duty('d', 1, 2), breach('b', 1, 2), duty('d', 0, 0), breach('b', 0, 0)]
  assert.deepEqual([...kept, ...broken].map(isKept), [...kept.map(() => true), ...broken.map(() => false)])
})

test('a property that cannot be measured is reported with its reason, and never counts as perfect', async () => {
  const good = property([duty('found', 1, 1)])
  const absent = product({
    version: () => {
      throw new Error('not installed')
    },
  })
  const cases = [
    [await outcomeOf(absent, good), 'not run', 'not installed'],
    [await outcomeOf(product({ needsPostgres: true }), good), 'not run', 'there is no PostgreSQL'],
    [await outcomeOf(product({ notOffered: { bleed: 'no users' } }), good), 'not offered', 'no users'],
    [await outcomeOf(product(), property([], { needs: ['verify'] })), 'not run', 'the adapter lacks verify'],
    [await outcomeOf(product(), property([], { measure: () => Promise.reject(new Error('oh')) })), 'failed', 'oh'],
  ] as const
  for (const [result, kind, reason] of cases) {
    assert.deepEqual(result.outcome, { kind, reason })
    assert.equal(isPerfect(result.outcome), false)
    assert.ok(lineOf(result).includes(`${kind}: ${reason}`))
  }
  assert.equal(isPerfect((await outcomeOf(product(), good)).outcome), true)
  assert.equal(isPerfect((await outcomeOf(product(), property([]))).outcome), false, 'nothing was counted')
})

test('a fault is in the figure that names it', async () => {
  const { outcome } = await outcomeOf(product(), property([breach('leaks', 1, 2, ['here']), duty('found', 1, 1)]))
  assert.deepEqual(
    [isNoticed(outcome, 'leaks'), isNoticed(outcome, 'found'), isNoticed(outcome, 'other')],
    [true, false, false],
  )
})

test('tables have a row for each product and one for the control', async () => {
  const what = property([breach('leaks', 0, 2), duty('found', 1, 2), fact('asked', 3, 3)])
  const results = [await outcomeOf(product(), what)]
  results.push(await outcomeOf(product({ id: 'two', name: 'Two', notOffered: { bleed: 'no users' } }), what))
  const controls = [await outcomeOf(product(), what)]
  assert.equal(
    overview(results),
    '| figures as they should be | One | Two |\n|---|---|---|\n| No bleed | 1 of 2 | not offered |',
  )
  assert.deepEqual(figureTable(what, results, controls).split('\n').slice(2), [
    '| One | 0 of 2 | 1 of 2 | 3 of 3 |',
    '| Two | not offered: no users |  |  |',
    '| *control: it leaks* | 0 of 2 | 1 of 2 | 3 of 3 |',
  ])
})

test('a planted fault replaces some calls and leaves the others', async () => {
  const faulty = withFault(session, { list: async () => [{ id: '1', text: 'not yours' }] })
  assert.equal((await faulty.list({ tenant: 't', user: 'u' })).length, 1)
  assert.equal(faulty.verify, undefined)
  await faulty.settle()
})

test('a wrong call is refused', () => {
  for (const args of [['--seed', '0'], ['--scale', 'x'], ['--nothing'], ['word']])
    assert.throws(() => readArguments(args), WrongCall)
  assert.deepEqual(readArguments(['--only', 'a', '--only', 'b', '--json']).only, ['a', 'b'])
})
