import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { createDatabase, releaseServer } from '../test/support/databases.ts'
import { colophonOnPostgres, colophonOnSqlite } from './adapters/colophon.ts'
import { allProperties } from './properties/index.ts'
import { isPerfect, type Outcome, prove } from './run.ts'

after(releaseServer)

const options = { seed: 1, scale: 1, databases: { create: createDatabase } }
const show = (outcome: Outcome) => JSON.stringify(outcome)

for (const product of [colophonOnSqlite, colophonOnPostgres]) {
  describe(product.name, () => {
    test('keeps every property', async (t) => {
      const results = await prove(product, allProperties, options)
      for (const { property, outcome } of results) t.diagnostic(`${property.id}: ${show(outcome)}`)
      for (const { property, outcome } of results) assert.ok(isPerfect(outcome), `${property.id}: ${show(outcome)}`)
    })
  })
}

test('every property notices the fault of its control', async (t) => {
  const results = await prove(colophonOnSqlite, allProperties, { ...options, isControl: true })
  for (const { property, outcome } of results) t.diagnostic(`${property.id}: ${show(outcome)}`)
  for (const { property, outcome } of results) {
    assert.equal(outcome.kind, 'measured', property.id)
    assert.ok(!isPerfect(outcome), `${property.id} did not notice: ${property.control.fault}`)
  }
})
