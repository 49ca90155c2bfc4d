import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/**
 * SQLite compiles a statement again whenever the parameter of its `limit` is bound, because the value can change the plan. Compiling
 * takes longer than most of our statements. With a plus before it, it is an expression, and the plan does not depend on it.
 */
test('every bound limit in SQLite is an expression: limit +:limit', () => {
  for (const file of globSync('src/adapters/sqlite/**/*.ts')) {
    const bare = readFileSync(file, 'utf8').match(/\blimit (?:\?(?= *(?:[)`']|$))|:\w+).*/gm) ?? []
    assert.deepEqual(bare, [], file)
  }
})
