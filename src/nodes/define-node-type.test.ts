import assert from 'node:assert/strict'
import { test } from 'node:test'
import { refusedField, requestOf } from '../../test/support/node-requests.ts'
import { isColophonError } from '../core/errors.ts'
import { checkNodeTypes, defineNodeType } from './define-node-type.ts'
import { invalidConfig } from './index.ts'

const shout = defineNodeType({
  typeId: 'acme.shout',
  description: 'Gives a text in capitals.',
  config: { text: { description: 'the text', type: 'text', isRequired: true }, times: { description: 'how often' } },
  checkConfig({ times }, field) {
    if (times === 0) throw invalidConfig(`${field}.times`, 'must not be 0')
  },
  replay: 'computes',
  execute: async ({ config }) => ({ kind: 'completed', outputs: { text: String(config.text).toUpperCase() } }),
})

test('a config must have the declared members, and its own check comes after that', () => {
  assert.equal(refusedField(shout, { text: 'hey', times: '{{inputs.times}}' }), null)
  assert.equal(refusedField(shout, { text: 'hey', volume: 3 }), '')
  for (const text of [undefined, '', 7]) assert.equal(refusedField(shout, { text }), 'text')
  assert.equal(refusedField(shout, { text: 'hey', times: 0 }), 'times')
})

test('a type with a lenient config refuses only what its own check refuses', () => {
  const lenient = defineNodeType({ ...shout, checkConfig: () => {}, hasLenientConfig: true })
  assert.equal(refusedField(lenient, { text: 7, volume: 3 }), null)
})

test('a declared type is executed as it stands', async () => {
  const result = await shout.execute(requestOf({ config: { text: 'hey' } }))
  assert.deepEqual(result, { kind: 'completed', outputs: { text: 'HEY' } })
})

test('types of an operator have ids of their own, outside the namespaces of the host', () => {
  assert.deepEqual(checkNodeTypes([shout]), [shout])
  const refused = [
    [shout, shout],
    ...['shout', 'core.shout', 'colophon.shout', 'acme.', ''].map((typeId) => [{ ...shout, typeId }]),
  ]
  for (const types of refused)
    assert.throws(
      () => checkNodeTypes(types),
      (error) => isColophonError(error, 'validation_error'),
    )
})
