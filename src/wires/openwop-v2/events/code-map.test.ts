import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { publishedFile } from '../../../../test/support/published-v2.ts'
import { eventTypes, toShownType, toStoredType } from './code-map.ts'

test('every type has one name in each version, and 36 of them differ', () => {
  const rows = eventTypes.map((shown) => [toStoredType(shown) as string, shown] as const)
  for (const [stored, shown] of rows) assert.equal(toShownType(stored), shown)
  assert.equal(rows.filter(([stored, shown]) => stored !== shown).length, 36)
  assert.equal(new Set(rows.map(([stored]) => stored)).size, eventTypes.length)
})

test('every event type that this host records has a row', () => {
  const sources = globSync('src/{core,app,nodes,jobs,seams}/**/*.ts').filter((file) => !file.endsWith('.test.ts'))
  const recorded = new Set<string>()
  for (const file of sources)
    for (const [, type = ''] of readFileSync(file, 'utf8').matchAll(
      /(?:\bemit|[eE]vent)\(\s*'([a-zA-Z]+(?:\.[a-zA-Z_-]+)+)'/g,
    ))
      recorded.add(type)
  assert.ok(recorded.has('memory.compacted') && recorded.has('run.started') && recorded.size >= 18, 'types were found')
  for (const type of recorded) assert.doesNotThrow(() => toShownType(type), `${type} has no name in version 2`)
})

test('a type without a row is not shown under a name that version 2 does not have', () => {
  assert.throws(() => toShownType('colophon.unheard'), { code: 'event_type_unmapped', status: 500 })
  assert.equal(toStoredType('colophon.unheard'), undefined)
})

test('the rows are those that OpenWOP publishes', (t) => {
  const published = publishedFile<{ rows: { v1: string; v2: string }[] }>('event-codemap.json')
  if (published === null) return t.skip('the published code map is not installed')
  const rows = eventTypes.map((shown) => ({ v1: toStoredType(shown) as string, v2: shown }))
  const byName = (a: { v2: string }, b: { v2: string }) => (a.v2 < b.v2 ? -1 : 1)
  assert.deepEqual(rows.sort(byName), published.rows.map(({ v1, v2 }) => ({ v1, v2 })).sort(byName))
})
