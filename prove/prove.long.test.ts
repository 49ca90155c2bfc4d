import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { after, describe, test } from 'node:test'
import { createEmptyDatabase, releaseServer } from '../test/support/databases.ts'
import { colophonOnPostgres, colophonOnSqlite } from './adapters/colophon.ts'
import { allProperties } from './properties/index.ts'
import { lineOf } from './report.ts'
import { isNoticed, isPerfect, prove } from './run.ts'

after(releaseServer)

const hasPython = spawnSync('python3', ['--version']).status === 0
const properties = allProperties.filter(({ id }) => hasPython || id !== 'foreign')

if (!hasPython)
  test('FOREIGN PROGRAM NOT TESTED: python3 is not installed (npm run prove fails without it)', { skip: true })

const options = { seed: 1, scale: 1, databases: { create: createEmptyDatabase } }

// In parallel: most of the time a property waits for the lease of a process that was killed.
describe('the governance benchmark', { concurrency: true }, () => {
  for (const product of [colophonOnSqlite, colophonOnPostgres]) {
    test(`${product.name} keeps every property`, async () => {
      const results = await prove(product, properties, options)
      assert.deepEqual(results.filter(({ outcome }) => !isPerfect(outcome)).map(lineOf), [])
      assert.equal(results.length, properties.length)
    })
  }

  const lookIntoTheDatabase = allProperties.filter(({ id }) => id === 'erasure' || id === 'tamper' || id === 'split')
  const controls = [
    [colophonOnSqlite, properties],
    // The others use HTTP only, so the database makes no difference; `npm run prove` runs them here too.
    [colophonOnPostgres, lookIntoTheDatabase],
  ] as const
  for (const [product, controlled] of controls) {
    test(`every property notices the fault of its control on ${product.name}`, async () => {
      const results = await prove(product, controlled, { ...options, isControl: true })
      assert.equal(results.length, controlled.length)
      for (const { property, outcome } of results) {
        const { fault, shows } = property.control
        assert.ok(shows.length > 0)
        for (const what of shows)
          assert.ok(isNoticed(outcome, what), `${property.id}, ${what}, did not notice: ${fault}`)
      }
    })
  }
})
