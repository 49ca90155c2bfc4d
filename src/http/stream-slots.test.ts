import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../core/limits.ts'
import { createStreamSlots } from './stream-slots.ts'

const ada = { keyId: 'key_1', tenantId: 'acme' }

test('a key and a tenant have a limit of streams each, and a stream that ends frees one slot once', () => {
  const slots = createStreamSlots({ perKey: 2, perTenant: () => 3 })
  const first = slots.take(ada)
  slots.take(ada)
  assert.throws(() => slots.take(ada), {
    code: 'rate_limited',
    details: { scope: 'key', limit: 'streamsPerKeyMax', max: 2 },
  })
  slots.take({ ...ada, keyId: 'key_2' })
  const ofTenant = { code: 'quota_exceeded', details: { quota: 'streams', used: 3, limit: 3 } }
  assert.throws(() => slots.take({ ...ada, keyId: 'key_3' }), ofTenant)
  slots.take({ keyId: 'key_1', tenantId: 'bolt' })
  first.release()
  first.release()
  assert.equal(slots.ofTenant('acme'), 2)
  slots.take(ada)
  assert.throws(() => slots.take(ada), { code: 'rate_limited' })
})

test('the last streams of a process are reserved for tenants with few', () => {
  const max = limits.streamsKeptForOthers + limits.streamsOfSmallTenant
  const slots = createStreamSlots({ perKey: 10_000, perTenant: () => 10_000 }, max)
  for (let count = 0; count < limits.streamsOfSmallTenant; count++) slots.take(ada)
  assert.throws(() => slots.take(ada), { code: 'overloaded', details: { limit: 'streamsMax', max } })
  for (let count = 0; count < limits.streamsKeptForOthers; count++)
    slots.take({ keyId: 'key_1', tenantId: `t${count % 50}` })
  assert.throws(() => slots.take({ keyId: 'key_1', tenantId: 'late' }), { code: 'overloaded' })
})
