import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { WorkflowDefinition } from '../workflow/definition.ts'
import { type MaskingMode, maskInterruptRequest, maskMembers, maskOf, maskRunText } from './mask.ts'
import type { RunText } from './run.ts'

const digest = (text: string) => `digest of ${text.length}`
const definition = (maskingMode?: MaskingMode) =>
  ({
    variables: [
      { name: 'iban', type: 'string', sensitive: true },
      { name: 'card', type: 'object', sensitive: true },
      { name: 'note', type: 'string' },
    ],
    metadata: maskingMode === undefined ? {} : { complianceConfig: { maskingMode } },
  }) as unknown as WorkflowDefinition
const textOf = (variables: object) => ({ variables, inputs: variables }) as unknown as RunText
const iban = 'CH93 0076 2011'

function masked(mode: MaskingMode | undefined, variables: object) {
  const mask = maskOf(definition(mode), digest)
  assert.ok(mask)
  const text = maskRunText(textOf(variables), mask)
  assert.deepEqual(text.inputs, text.variables)
  return text.variables
}

test('sensitive variables are masked, omitted, hashed or shown by the masking mode', () => {
  const values = { iban, card: { number: 4242, name: 'Ada' }, note: 'for tea' }
  assert.deepEqual(masked(undefined, values), { iban: '[REDACTED]', card: '[REDACTED]', note: 'for tea' })
  assert.deepEqual(masked('omit', values), { note: 'for tea' })
  const hashed = masked('hash', values)
  assert.equal(hashed.iban, `sha256:digest of ${JSON.stringify(iban).length + 'masked.'.length}`)
  assert.equal(maskOf(definition('passthrough'), digest), null)
})

test('a workflow without sensitive variables has no mask, and a null value stays null', () => {
  assert.equal(maskOf({ ...definition(), variables: [] }, digest), null)
  assert.deepEqual(masked('mask', { iban: null, note: 'x' }), { iban: null, note: 'x' })
})

test('copies of a sensitive text in other variables are masked, except those under 4 characters', () => {
  const values = { iban, card: { pin: '123' }, note: `to ${iban}, pin 123`, list: [{ [iban]: iban }] }
  const { note, list } = masked('mask', values)
  assert.equal(note, 'to [REDACTED], pin 123')
  assert.deepEqual(list, [{ '[REDACTED]': '[REDACTED]' }])
})

test('a copy of a sensitive number is masked only as a whole value', () => {
  assert.deepEqual(masked('mask', { card: { number: 424_242 }, sum: 424_242, other: 4_242_421 }), {
    card: '[REDACTED]',
    sum: '[REDACTED]',
    other: 4_242_421,
  })
})

test('an interrupt request is masked too', () => {
  const mask = maskOf(definition(), digest)
  assert.ok(mask)
  const request = { kind: 'approval', key: 'pay', data: { title: `Pay to ${iban}?`, actions: ['accept'] } } as const
  assert.deepEqual(maskInterruptRequest(request, textOf({ iban }), mask).data, {
    title: 'Pay to [REDACTED]?',
    actions: ['accept'],
  })
})

test('outputs are masked by the masking mode', () => {
  assert.deepEqual(maskMembers({ a: 1 }, { mode: 'mask', digest }), { a: '[REDACTED]' })
  assert.deepEqual(maskMembers({ a: 1 }, { mode: 'omit', digest }), {})
  assert.deepEqual(maskMembers({ a: 1 }, { mode: 'passthrough', digest }), { a: 1 })
})
