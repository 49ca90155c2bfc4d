import assert from 'node:assert/strict'
import { test } from 'node:test'
import { writersCheck } from './doctor.ts'

test('the doctor warns about writers that are bound to no key, and names a few of them', () => {
  assert.deepEqual(writersCheck({ writers: 0, unbound: [] }), [])
  assert.deepEqual(
    writersCheck({ writers: 2, unbound: [] }).map(({ status }) => status),
    ['ok'],
  )
  const [check] = writersCheck({ writers: 20, unbound: Array.from({ length: 12 }, (_, n) => `service-${n}`) })
  assert.equal(check?.status, 'warn')
  assert.match(check?.message ?? '', /service-0, .*service-9 and 2 more$/)
  assert.match(check?.todo ?? '', /--api-key ID.*require_bound_writers/)
})
