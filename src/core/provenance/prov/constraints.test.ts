import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ProvConstraint, provProblems } from './constraints.ts'
import type { ProvDocument } from './document.ts'

const [early, noon, late] = ['2026-01-01T00:00:00.000Z', '2026-01-01T12:00:00.000Z', '2026-01-02T00:00:00.000Z']

const generated = (entity: string, activity: string, time = noon) => ({
  'prov:entity': entity,
  'prov:activity': activity,
  'prov:time': time,
})
const used = (activity: string, entity: string, time = noon) => generated(entity, activity, time)
const derived = (made: string, source: string) => ({ 'prov:generatedEntity': made, 'prov:usedEntity': source })

const valid: ProvDocument = {
  prefix: {},
  entity: { e: {}, f: {}, g: {} },
  activity: {
    a: { 'prov:startTime': noon, 'prov:endTime': noon },
    b: { 'prov:startTime': noon, 'prov:endTime': late },
  },
  agent: { x: {} },
  wasGeneratedBy: { r1: generated('e', 'a'), r2: generated('f', 'b', late) },
  used: { r3: used('b', 'e') },
  wasInvalidatedBy: { r4: generated('e', 'b', late) },
  wasDerivedFrom: { r5: derived('f', 'e') },
  wasAssociatedWith: { r6: { 'prov:activity': 'a', 'prov:agent': 'x' } },
}

test('a document in order has no problem', () => {
  assert.deepEqual(provProblems(valid), [])
})

/** For each constraint, a change of the valid document that breaks it, and what breaks it. */
const broken: readonly [ProvConstraint, Partial<ProvDocument>, string][] = [
  ['generated once', { wasGeneratedBy: { ...valid.wasGeneratedBy, bad: generated('e', 'b') } }, 'bad'],
  ['invalidated once', { wasInvalidatedBy: { ...valid.wasInvalidatedBy, bad: generated('e', 'a') } }, 'bad'],
  [
    'start before end',
    { activity: { ...valid.activity, bad: { 'prov:startTime': late, 'prov:endTime': noon } } },
    'bad',
  ],
  ['within its activity', { wasGeneratedBy: { ...valid.wasGeneratedBy, bad: generated('g', 'a', late) } }, 'bad'],
  ['within its activity', { used: { ...valid.used, bad: used('b', 'g', early) } }, 'bad'],
  ['generated before used', { used: { bad: used('b', 'f') } }, 'bad'],
  ['generated before invalidated', { wasInvalidatedBy: { bad: generated('f', 'b', noon) } }, 'bad'],
  [
    'used before invalidated',
    { wasInvalidatedBy: { r4: generated('e', 'b') }, used: { bad: used('b', 'e', late) } },
    'bad',
  ],
  ['derived after its source', { wasDerivedFrom: { bad: derived('e', 'f') } }, 'bad'],
  ['no cycle of derivations', { wasDerivedFrom: { r1: derived('g', 'g') } }, 'g'],
  ['refers to an element of its kind', { used: { bad: used('b', 'nothing') } }, 'bad'],
  [
    'refers to an element of its kind',
    { wasAssociatedWith: { bad: { 'prov:activity': 'e', 'prov:agent': 'x' } } },
    'bad',
  ],
]

for (const [constraint, change, id] of broken) {
  test(`a document is refused that breaks "${constraint}" (${Object.keys(change).join(', ')})`, () => {
    assert.deepEqual(provProblems({ ...valid, ...change }), [{ constraint, id }])
  })
}

test('a cycle through several entities is found at each of them', () => {
  const wasDerivedFrom = { r1: derived('e', 'g'), r2: derived('g', 'f'), r3: derived('f', 'e') }
  const found = provProblems({ ...valid, wasDerivedFrom }).filter(({ constraint }) => constraint.startsWith('no cycle'))
  assert.deepEqual(found.map(({ id }) => id).sort(), ['e', 'f', 'g'])
})
