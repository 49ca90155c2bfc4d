import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstKey, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import { CredentialCache } from './credential-cache.ts'
import { createKey, revokeKey } from './keys.ts'
import { setTenantStatus } from './tenants.ts'

/** A cache over a store that counts its reads, and its clock. */
function cacheOver({ engine }: UseCaseWorld, sharedAcrossProcesses: boolean) {
  const reads = { keys: 0, tenants: 0 }
  const clock = { now: 0 }
  /** A read has its value when it begins, and returns it when the test allows it. */
  const gate = { opens: Promise.resolve() }
  const storage: Storage = {
    ...engine.storage,
    traits: { durable: true, sharedAcrossProcesses },
    activeCredential: async (...query) => {
      reads.keys += 1
      const record = await engine.storage.activeCredential(...query)
      await gate.opens
      return record
    },
    tenant: (id) => {
      reads.tenants += 1
      return engine.storage.tenant(id)
    },
  }
  return { cache: new CredentialCache(storage, () => clock.now), reads, clock, gate }
}

const reader = { name: 'reader', scopes: ['memory:read'] }

test('a key and the status of its tenant are read once, until they are invalidated', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, reader)
  const { cache, reads, clock } = cacheOver(world, false)
  for (let n = 0; n < 3; n++) {
    assert.equal((await cache.findKey(tenantId, id))?.keyId, id)
    assert.equal(await cache.isEnabled(tenantId), true)
    clock.now += 1_000_000
  }
  assert.deepEqual(reads, { keys: 1, tenants: 1 })
  cache.invalidate(tenantId)
  await cache.findKey(tenantId, id)
  await cache.isEnabled(tenantId)
  assert.deepEqual(reads, { keys: 2, tenants: 2 })
})

test('where other processes can change it, a value is read again after credentialCacheMs', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, reader)
  const { cache, reads, clock } = cacheOver(world, true)
  await cache.findKey(tenantId, id)
  await cache.isEnabled(tenantId)
  // Another process: its commits do not invalidate this cache.
  await revokeKey(world.tenant, id)
  await setTenantStatus(world.engine, tenantId, 'disabled')
  clock.now += limits.credentialCacheMs - 1
  assert.equal((await cache.findKey(tenantId, id))?.revokedAt, null)
  assert.equal(await cache.isEnabled(tenantId), true)
  assert.deepEqual(reads, { keys: 1, tenants: 1 })
  clock.now += 1
  assert.equal(await cache.findKey(tenantId, id), null)
  assert.equal(await cache.isEnabled(tenantId), false)
})

test('a read that began before an invalidation is not kept', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await createKey(world.tenant, firstKey, reader)
  const { cache, gate } = cacheOver(world, false)
  const { promise, resolve: open } = Promise.withResolvers<void>()
  gate.opens = promise
  const early = cache.findKey(tenantId, id)
  await revokeKey(world.tenant, id)
  cache.invalidate(tenantId)
  open()
  assert.equal((await early)?.revokedAt, null)
  assert.equal((await cache.findKey(tenantId, id))?.revokedAt, world.clock.now)
})

test('keys that do not exist are read each time', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { cache, reads } = cacheOver(world, false)
  const unknown = 'key_00000000-0000-7000-8000-000000000000'
  for (let n = 0; n < 2; n++) assert.equal(await cache.findKey('invented', unknown), null)
  assert.equal(reads.keys, 2)
})
