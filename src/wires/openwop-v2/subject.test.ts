import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyIssuer, ownerOf, subjectOf } from './subject.ts'

test('the owner of a thing is the key that made it', () => {
  assert.deepEqual(ownerOf('acme', 'key:k_1'), {
    tenant: 'acme',
    subject: { issuer: keyIssuer, subjectId: 'k_1', tenant: 'acme', lane: 'api-key', kind: 'user' },
  })
})

test('what no key did is a workload, and every subject id fits the grammar', () => {
  assert.equal(subjectOf('acme', 'schedule:nightly').kind, 'workload')
  for (const actor of ['', 'key:', 'a b/c', 'interrupt:run_1', `key:${'x'.repeat(400)}`])
    assert.match(subjectOf('acme', actor).subjectId, /^[^\s/]{1,256}$/, actor)
})
