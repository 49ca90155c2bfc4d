import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, type UseCaseWorld } from '../../test/support/use-cases.ts'
import { openModel } from '../adapters/model/open.ts'
import { isColophonError } from '../core/errors.ts'
import { limits } from '../core/limits.ts'
import { rejectsWith } from '../testing/assert-code.ts'
import { createKey, listKeys, revokeKey, rotateKey } from './keys.ts'

const draft = { name: 'writer', scopes: ['memory:write'] }
const statuses = async ({ tenant }: UseCaseWorld) => (await listKeys(tenant)).map(({ status }) => status)

test('a new key is shown once; a repeat with the same idempotency key shows the record without the key', async () => {
  await using world = openUseCases(openModel)
  const first = await createKey(world.tenant, draft, { idempotencyKey: 'k1' })
  const repeat = await createKey(world.tenant, draft, { idempotencyKey: 'k1' })
  assert.match(first.key ?? '', /^ck_/)
  assert.equal(repeat.id, first.id)
  assert.ok(!('key' in repeat))
  assert.equal((await listKeys(world.tenant)).length, 1)
  assert.ok(!('key' in ((await listKeys(world.tenant))[0] ?? {})))
})

test('an idempotency key that was used for another draft is refused', async () => {
  await using world = openUseCases(openModel)
  await createKey(world.tenant, draft, { idempotencyKey: 'k1' })
  const other = { ...draft, scopes: ['memory:read'] }
  await rejectsWith('idempotency_key_mismatch', createKey(world.tenant, other, { idempotencyKey: 'k1' }))
})

test('a draft with no scope, an unknown scope or a past expiry is refused', async () => {
  await using world = openUseCases(openModel)
  const refused: object[] = [
    { ...draft, scopes: [] },
    { ...draft, scopes: ['memory:everything'] },
    { ...draft, expiresAt: '2025-12-31T23:59:59Z' },
    { ...draft, expiresAt: new Date(world.clock.now).toISOString() },
    { ...draft, expiresAt: 'tomorrow' },
  ]
  for (const given of refused) {
    await rejectsWith('validation_error', createKey(world.tenant, given as typeof draft))
  }
  assert.deepEqual(await statuses(world), [])
})

test('a key that was revoked twice keeps its first end', async () => {
  await using world = openUseCases(openModel)
  const { id } = await createKey(world.tenant, draft)
  await rotateKey(world.tenant, id, 60_000)
  assert.deepEqual(await statuses(world), ['active', 'active'])
  await revokeKey(world.tenant, id)
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
  world.clock.advance(1_000)
  assert.equal((await revokeKey(world.tenant, id)).key.status, 'revoked')
})

test('a revocation that loses a race against another change of the key is decided again', async () => {
  let isBeaten = true
  await using world = openUseCases((options) => {
    const storage = openModel(options)
    return {
      ...storage,
      async commit(batch) {
        // Another process revokes the key between the read and the commit of this one.
        if (batch.kind === 'admin.key.revoked' && isBeaten) {
          isBeaten = false
          await storage.commit(batch)
        }
        return storage.commit(batch)
      },
    }
  })
  const { id } = await createKey(world.tenant, draft)
  assert.equal((await revokeKey(world.tenant, id)).key.status, 'revoked')
  assert.deepEqual([isBeaten, await statuses(world)], [false, ['revoked']])
})

test('a rotation keeps name, scopes and expiry, and ends the old key after the overlap', async () => {
  await using world = openUseCases(openModel)
  const expiresAt = '2026-02-01T00:00:00.000Z'
  const { id } = await createKey(world.tenant, { ...draft, expiresAt })
  const { key, id: nextId, ...next } = await rotateKey(world.tenant, id, 5_000)
  assert.ok(key)
  assert.notEqual(nextId, id)
  assert.deepEqual([next.name, next.scopes, next.expiresAt], [draft.name, draft.scopes, expiresAt])
  world.clock.advance(4_999)
  assert.deepEqual(await statuses(world), ['active', 'active'])
  world.clock.advance(1)
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
})

test('a rotation refuses an unknown key and a key that has ended', async () => {
  await using world = openUseCases(openModel)
  const { id } = await createKey(world.tenant, { ...draft, expiresAt: '2026-01-01T00:00:10Z' })
  const other = await createKey(world.tenant, draft)
  await rejectsWith('not_found', rotateKey(world.tenant, 'key_unknown', 0))
  await rejectsWith('not_found', rotateKey(world.engine.tenant('globex'), id, 0))
  await revokeKey(world.tenant, other.id)
  await rejectsWith('not_found', rotateKey(world.tenant, other.id, 0))
  await rejectsWith('not_found', rotateKey(world.tenant, other.id, 0, { idempotencyKey: 'never used' }))
  world.clock.advance(10_000)
  await rejectsWith('not_found', rotateKey(world.tenant, id, 0))
})

test('a rotation that is repeated with its idempotency key gives the first result, though the old key has ended', async () => {
  await using world = openUseCases(openModel)
  const { id } = await createKey(world.tenant, draft)
  const first = await rotateKey(world.tenant, id, 0, { idempotencyKey: 'r1' })
  const repeat = await rotateKey(world.tenant, id, 0, { idempotencyKey: 'r1' })
  assert.equal(repeat.id, first.id)
  assert.ok(!('key' in repeat))
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
})

test('a tenant has room for so many keys; the call that made the last one may be repeated', async () => {
  let isFull = false
  await using world = openUseCases((options) => {
    const storage = openModel(options)
    const full = Array.from({ length: limits.keysPerTenantMax }, (_, n) => ({ id: `key_${n}` }))
    const records: typeof storage.records = async (query) => (isFull ? (full as never) : storage.records(query))
    return { ...storage, records }
  })
  const first = await createKey(world.tenant, draft, { idempotencyKey: 'last' })
  isFull = true
  assert.equal((await createKey(world.tenant, draft, { idempotencyKey: 'last' })).id, first.id)
  for (const options of [{}, { idempotencyKey: 'another' }])
    await assert.rejects(
      createKey(world.tenant, draft, options),
      (error) => isColophonError(error, 'validation_error') && error.details.limit === 'keysPerTenantMax',
    )
})

test('rotations of one key at once give one new key; the others learn that the old key has ended', async () => {
  await using world = openUseCases(openModel)
  const { id } = await createKey(world.tenant, draft)
  const results = await Promise.allSettled([1, 2, 3].map(() => rotateKey(world.tenant, id, 0)))
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  assert.deepEqual(
    failed.map((error) => isColophonError(error, 'not_found')),
    [true, true],
  )
  assert.equal((await statuses(world)).filter((status) => status === 'active').length, 1)
})
