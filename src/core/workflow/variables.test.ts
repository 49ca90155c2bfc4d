import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkflowDefinition, WorkflowVariable } from './definition.ts'
import { initialVariables } from './variables.ts'

function declares(...variables: WorkflowVariable[]): WorkflowDefinition {
  return { id: 'w', name: 'W', version: '1', nodes: [], edges: [], triggers: [], variables, metadata: {}, settings: {} }
}

test('inputs override defaults, and undeclared inputs do not become variables', () => {
  const definition = declares(
    { name: 'a', type: 'number', defaultValue: 1 },
    { name: 'b', type: 'array', defaultValue: [] },
    { name: 'c', type: 'object' },
    { name: 'd', type: 'string', defaultValue: null },
  )
  assert.deepEqual(initialVariables(definition, { a: 2, other: 3 }), { a: 2, b: [], d: null })
})

test('a required variable without a value is refused', () => {
  const definition = declares({ name: 'x', type: 'string' }, { name: 'y', type: 'object', required: true })
  assert.throws(() => initialVariables(definition, {}), {
    code: 'validation_error',
    message: 'variables[1] (y) is required: give it in inputs.',
    details: { field: 'variables[1]', variable: 'y' },
  })
  assert.deepEqual(initialVariables(definition, { y: {} }), { y: {} })
  const seeded = declares({ name: 'n', type: 'number', required: true, defaultValue: 0 })
  assert.deepEqual(initialVariables(seeded, {}), { n: 0 })
})

test('an input of another type than its variable is refused', () => {
  const values = { string: '', number: 0, boolean: false, object: {}, array: [] }
  for (const type of Object.keys(values) as (keyof typeof values)[]) {
    for (const [given, value] of [...Object.entries(values), ['null', null]]) {
      const run = () => initialVariables(declares({ name: 'v', type }), { v: value })
      if (given === type) assert.deepEqual(run(), { v: value })
      else assert.throws(run, { code: 'validation_error', details: { field: 'variables[0]', variable: 'v' } })
    }
  }
})
