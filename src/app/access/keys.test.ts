import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { firstKey, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { Scope } from '../../core/access/scopes.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { rotateKey } from './rotate-key.ts'

const firstPage = { after: null, limit: 100 }

const draft = { name: 'writer', scopes: ['memory:write'] }
const statuses = async ({ tenant }: UseCaseWorld) => (await listKeys(tenant, firstPage)).map(({ status }) => status)

test('a new key is shown once; a repeat with the same idempotency key shows the record without the key', async () => {
  await using world = openUseCases(openInMemoryStore)
  const first = await createKey(world.tenant, firstKey, draft, { idempotencyKey: 'k1' })
  const repeat = await createKey(world.tenant, firstKey, draft, { idempotencyKey: 'k1' })
  assert.match(first.key ?? '', /^ck_/)
  assert.equal(repeat.id, first.id)
  assert.ok(!('key' in repeat))
  assert.equal((await listKeys(world.tenant, firstPage)).length, 1)
  assert.ok(!('key' in ((await listKeys(world.tenant, firstPage))[0] ?? {})))
})

test('an idempotency key that was used for another draft is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  await createKey(world.tenant, firstKey, draft, { idempotencyKey: 'k1' })
  const other = { ...draft, scopes: ['memory:read'] }
  await rejectsWith('idempotency_key_mismatch', createKey(world.tenant, firstKey, other, { idempotencyKey: 'k1' }))
})

test('a draft with no scope, an unknown scope or a past expiry is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  const refused: object[] = [
    { ...draft, scopes: [] },
    { ...draft, scopes: ['memory:everything'] },
    { ...draft, expiresAt: '2025-12-31T23:59:59Z' },
    { ...draft, expiresAt: new Date(world.clock.now).toISOString() },
    { ...draft, expiresAt: 'tomorrow' },
  ]
  for (const given of refused) {
    await rejectsWith('validation_error', createKey(world.tenant, firstKey, given as typeof draft))
  }
  assert.deepEqual(await statuses(world), [])
})

test('a key that is revoked twice keeps the instant of its first revocation', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, draft)
  await rotateKey(world.tenant, firstKey, id, 60_000)
  assert.deepEqual(await statuses(world), ['active', 'active'])
  await revokeKey(world.tenant, id)
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
  world.clock.advance(1_000)
  assert.equal((await revokeKey(world.tenant, id)).key.status, 'revoked')
})

test('a revocation that loses a race against another change of the key is decided again', async () => {
  let isBeaten = true
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
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
  const { id } = await createKey(world.tenant, firstKey, draft)
  assert.equal((await revokeKey(world.tenant, id)).key.status, 'revoked')
  assert.deepEqual([isBeaten, await statuses(world)], [false, ['revoked']])
})

test('a rotation keeps name, scopes and expiry, and ends the old key after the overlap', async () => {
  await using world = openUseCases(openInMemoryStore)
  const expiresAt = '2026-02-01T00:00:00.000Z'
  const { id } = await createKey(world.tenant, firstKey, { ...draft, expiresAt })
  const { key, id: nextId, ...next } = await rotateKey(world.tenant, firstKey, id, 5_000)
  assert.ok(key)
  assert.notEqual(nextId, id)
  assert.deepEqual([next.name, next.scopes, next.expiresAt], [draft.name, draft.scopes, expiresAt])
  world.clock.advance(4_999)
  assert.deepEqual(await statuses(world), ['active', 'active'])
  world.clock.advance(1)
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
})

test('a rotation refuses an unknown key and a key that has ended', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, { ...draft, expiresAt: '2026-01-01T00:00:10Z' })
  const other = await createKey(world.tenant, firstKey, draft)
  await rejectsWith('not_found', rotateKey(world.tenant, firstKey, 'key_unknown', 0))
  await rejectsWith('not_found', rotateKey(world.engine.tenant('globex'), firstKey, id, 0))
  await revokeKey(world.tenant, other.id)
  await rejectsWith('not_found', rotateKey(world.tenant, firstKey, other.id, 0))
  await rejectsWith('not_found', rotateKey(world.tenant, firstKey, other.id, 0, { idempotencyKey: 'never used' }))
  world.clock.advance(10_000)
  await rejectsWith('not_found', rotateKey(world.tenant, firstKey, id, 0))
})

test('a rotation that is repeated with its idempotency key gives the first result, though the old key has ended', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, draft)
  const first = await rotateKey(world.tenant, firstKey, id, 0, { idempotencyKey: 'r1' })
  const repeat = await rotateKey(world.tenant, firstKey, id, 0, { idempotencyKey: 'r1' })
  assert.equal(repeat.id, first.id)
  assert.ok(!('key' in repeat))
  assert.deepEqual(await statuses(world), ['revoked', 'active'])
})

test('the number of active keys per tenant is limited; a retry of the call that created the last one gets its result', async () => {
  const ended = { scopes: ['memory:read'], createdAt: 0, expiresAt: 1, revokedAt: null }
  let others: readonly { id: string; body: object }[] = []
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const records: typeof storage.records = async (query) =>
      (others.length > 0
        ? others.filter(({ id }) => id > (query.after ?? '')).slice(0, query.limit)
        : storage.records(query)) as never
    return { ...storage, records }
  })
  const keysOf = (count: number, name: string, facts: object) =>
    Array.from({ length: count }, (_, n) => ({
      id: `${name}_${String(n).padStart(5, '0')}`,
      body: { text: { name }, facts, sealed: {} },
    }))
  const first = await createKey(world.tenant, firstKey, draft, { idempotencyKey: 'last' })
  const rotated = await createKey(world.tenant, firstKey, draft)
  const isTooMany = (error: unknown) =>
    isColophonError(error, 'storage_quota_exceeded') && error.details.quota === 'keys'
  others = [
    ...keysOf(limits.keysPerTenantMax + 1, 'ended', ended),
    ...keysOf(limits.keysPerTenantMax, 'used', { ...ended, expiresAt: null }),
  ]
  assert.equal((await createKey(world.tenant, firstKey, draft, { idempotencyKey: 'last' })).id, first.id)
  for (const options of [{}, { idempotencyKey: 'another' }])
    await assert.rejects(createKey(world.tenant, firstKey, draft, options), isTooMany)
  await assert.rejects(rotateKey(world.tenant, firstKey, rotated.id, 1_000), isTooMany)
  const next = await rotateKey(world.tenant, firstKey, rotated.id, 0)
  others = others.slice(0, -1)
  assert.ok((await rotateKey(world.tenant, firstKey, next.id, 1_000)).key)
  assert.ok((await createKey(world.tenant, firstKey, draft)).key)
})

test('a key grants at most its own scopes', async () => {
  await using world = openUseCases(openInMemoryStore)
  const manager = { scopes: ['memory:read', 'keys:manage'], reader: null, endsAt: null } as const
  const draftOf = (...scopes: Scope[]) => ({ name: 'more', scopes })
  await assert.rejects(
    createKey(world.tenant, manager, draftOf('memory:read', 'memory:write')),
    (error) => isColophonError(error, 'forbidden') && error.details.requiredScope === 'memory:write',
  )
  const { id } = await createKey(world.tenant, firstKey, draftOf('memory:read', 'memory:write'))
  await rejectsWith('forbidden', rotateKey(world.tenant, manager, id, 0))
  assert.deepEqual(await statuses(world), ['active'])
  const granted = await createKey(world.tenant, manager, draftOf('memory:read', 'keys:manage'))
  assert.deepEqual(granted.scopes, ['memory:read', 'keys:manage'])
  assert.ok((await rotateKey(world.tenant, manager, granted.id, 0)).key)
})

test('a key grants at most its own lifetime; without an expiry the new key ends with it', async () => {
  await using world = openUseCases(openInMemoryStore)
  const end = '2026-02-01T00:00:00.000Z'
  const manager = { ...firstKey, endsAt: Date.parse(end) }
  const later = '2026-02-01T00:00:00.001Z'
  await assert.rejects(
    createKey(world.tenant, manager, { ...draft, expiresAt: later }),
    (error) => isColophonError(error, 'forbidden') && error.details.max === end,
  )
  assert.equal((await createKey(world.tenant, manager, draft)).expiresAt, end)
  assert.equal((await createKey(world.tenant, manager, { ...draft, expiresAt: end })).expiresAt, end)
  for (const expiresAt of [undefined, later]) {
    const { id } = await createKey(world.tenant, firstKey, { ...draft, expiresAt })
    await rejectsWith('forbidden', rotateKey(world.tenant, manager, id, 0))
  }
  const { id } = await createKey(world.tenant, firstKey, { ...draft, expiresAt: end })
  assert.equal((await rotateKey(world.tenant, manager, id, 0)).expiresAt, end)
})

test('a key that ends after an overlap gives its next successor no more than that overlap', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, draft)
  await rotateKey(world.tenant, firstKey, id, 5_000)
  const second = await rotateKey(world.tenant, firstKey, id, 5_000)
  assert.equal(second.expiresAt, '2026-01-01T00:00:05.000Z')
})

test('a retry of a rotation is refused after its key was revoked or has expired, with any idempotency key', async () => {
  await using world = openUseCases(openInMemoryStore)
  const rotateOnce = (id: string, idempotencyKey: string) =>
    rotateKey(world.tenant, firstKey, id, 5_000, { idempotencyKey })
  const revoked = await createKey(world.tenant, firstKey, draft)
  const expired = await createKey(world.tenant, firstKey, { ...draft, expiresAt: '2026-01-01T00:00:10Z' })
  for (const { id } of [revoked, expired]) assert.ok((await rotateOnce(id, `once ${id}`)).key)
  await revokeKey(world.tenant, revoked.id)
  for (const key of [`once ${revoked.id}`, 'another']) await rejectsWith('not_found', rotateOnce(revoked.id, key))
  world.clock.advance(5_000)
  assert.ok(!('key' in (await rotateOnce(expired.id, `once ${expired.id}`))))
  world.clock.advance(5_000)
  for (const key of [`once ${expired.id}`, 'another']) await rejectsWith('not_found', rotateOnce(expired.id, key))
})

test('a key from before the scope keys:manage can still manage keys if it could before', async () => {
  await using world = openUseCases(openInMemoryStore)
  const facts = { createdAt: 0, expiresAt: null, revokedAt: null }
  const stored = (id: string, more: object) =>
    ({
      kind: 'key',
      id,
      body: { text: { name: id }, facts: { ...facts, ...more }, sealed: { hash: id } },
      expects: 0,
    }) as const
  await world.tenant.commit(
    {
      kind: 'admin.key.created',
      admin: [
        stored('key_a', { scopes: ['memory:read', 'memory:admin'] }),
        stored('key_b', { scopes: ['memory:read', 'memory:write'] }),
        stored('key_c', { scopes: ['memory:admin'], vocabulary: 2 }),
      ],
    },
    { call: { operation: 'test' } },
  )
  const scopesOfAll = async () => (await listKeys(world.tenant, firstPage)).map(({ scopes }) => scopes.join(' '))
  const scopesNow = ['memory:read memory:admin keys:manage', 'memory:read memory:write', 'memory:admin']
  assert.deepEqual(await scopesOfAll(), scopesNow)
  const next = await rotateKey(world.tenant, firstKey, 'key_a', 0)
  assert.deepEqual(next.scopes, ['memory:read', 'memory:admin', 'keys:manage'])
  assert.deepEqual((await scopesOfAll()).slice(0, 1), scopesNow.slice(0, 1))
})

test('keys are listed page by page, oldest first', async () => {
  await using world = openUseCases(openInMemoryStore)
  const made: string[] = []
  for (const name of ['a', 'b', 'c']) made.push((await createKey(world.tenant, firstKey, { ...draft, name })).id)
  const page = async (after: string | null, limit: number) =>
    (await listKeys(world.tenant, { after, limit })).map(({ id }) => id)
  assert.deepEqual(await page(null, 2), made.slice(0, 2))
  assert.deepEqual(await page(made[1] ?? '', 2), made.slice(2))
})

test('concurrent rotations of one key give one new key; the others get the error that the old key has ended', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, draft)
  const results = await Promise.allSettled([1, 2, 3].map(() => rotateKey(world.tenant, firstKey, id, 0)))
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []))
  assert.deepEqual(
    failed.map((error) => isColophonError(error, 'not_found')),
    [true, true],
  )
  assert.equal((await statuses(world)).filter((status) => status === 'active').length, 1)
})
