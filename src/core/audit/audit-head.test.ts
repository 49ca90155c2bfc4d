import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isColophonError } from '../errors.ts'
import { genesisHash } from './audit.ts'
import { formatAuditHead, parseAuditHead } from './audit-head.ts'

const hash = 'a1'.repeat(32)

test('an audit head is parsed from one line and from JSON, with and without a tenant', () => {
  const head = { tenant: 'acme', position: 12, hash }
  assert.deepEqual(parseAuditHead(`${formatAuditHead(head)}\n`, 'acme'), head)
  assert.deepEqual(parseAuditHead(JSON.stringify({ position: 12, hash, at: 'x' }), 'acme'), head)
  assert.deepEqual(parseAuditHead(JSON.stringify(head), 'other'), head)
  assert.equal(parseAuditHead(`0:${genesisHash}`, 'acme').position, 0)
})

test('a text that is no audit head is refused', () => {
  const wrong = [
    '',
    '12',
    `12:${hash}0`,
    `-1:${hash}`,
    '{',
    'null',
    '[]',
    '{"position":1}',
    `{"position":1.5,"hash":"${hash}"}`,
    `0:${hash}`,
  ]
  for (const text of wrong)
    assert.throws(
      () => parseAuditHead(text, 'acme'),
      (error) => isColophonError(error, 'validation_error'),
      text,
    )
})
