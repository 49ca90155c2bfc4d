import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { firstKey, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { hashKey } from '../../core/access/api-key.ts'
import { scopes } from '../../core/access/scopes.ts'
import { limits } from '../../core/limits.ts'
import { createAuthenticator } from './authenticate.ts'
import { createKey, listKeys, revokeKey } from './keys.ts'
import { rotateKey } from './rotate-key.ts'
import { setTenantStatus } from './tenants.ts'

const firstPage = { after: null, limit: 100 }

async function keyIn({ tenant }: UseCaseWorld, expiresAt?: string) {
  const { id, key = '' } = await createKey(tenant, firstKey, { name: 'reader', scopes: ['memory:read'], expiresAt })
  return { id, key, authenticate: createAuthenticator(tenant.engine, []) }
}

test('a stored key gives its tenant, its scopes and its expiry, with either scheme in any case', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id, key, authenticate } = await keyIn(world, '2026-01-02T00:00:00Z')
  for (const scheme of ['Bearer', 'ApiKey', 'bearer', 'APIKEY']) {
    assert.deepEqual(await authenticate(`${scheme} ${key}`), {
      tenantId,
      keyId: id,
      scopes: ['memory:read'],
      reader: null,
      endsAt: Date.parse('2026-01-02T00:00:00Z'),
      actor: `key:${id}`,
    })
  }
})

test('a missing, a malformed, an unknown and a changed key are refused with the same code', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { key, authenticate } = await keyIn(world)
  const changed = key.slice(0, -1) + (key.endsWith('A') ? 'B' : 'A')
  const ofOtherTenant = key.replace(`.${tenantId}.`, '.globex.')
  const refused = [
    undefined,
    '',
    key,
    `Basic ${key}`,
    'Bearer ',
    'Bearer not-a-key',
    `Bearer ${key} more`,
    `Bearer ${changed}`,
    `Bearer ${ofOtherTenant}`,
    `Bearer ${'x'.repeat(1_025)}`,
  ]
  for (const header of refused) await rejectsWith('unauthenticated', authenticate(header), key)
})

test('a key is expired from its instant of expiry on', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { key, authenticate } = await keyIn(world, '2026-01-01T00:00:01Z')
  world.clock.advance(999)
  await authenticate(`Bearer ${key}`)
  world.clock.advance(1)
  await rejectsWith('key_expired', authenticate(`Bearer ${key}`))
})

test('a revoked key is refused as revoked, also when it has expired too', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id, key, authenticate } = await keyIn(world, '2026-01-01T00:00:01Z')
  await revokeKey(world.tenant, id)
  await rejectsWith('key_revoked', authenticate(`Bearer ${key}`))
  world.clock.advance(2_000)
  await rejectsWith('key_revoked', authenticate(`Bearer ${key}`))
})

test('a rotated key authenticates until its overlap ends, and the principal has that instant', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id, key, authenticate } = await keyIn(world)
  const { key: next } = await rotateKey(world.tenant, firstKey, id, 60_000)
  assert.equal((await authenticate(`Bearer ${key}`)).endsAt, world.clock.now + 60_000)
  world.clock.advance(60_000)
  await rejectsWith('key_revoked', authenticate(`Bearer ${key}`))
  assert.equal((await authenticate(`Bearer ${next}`)).endsAt, null)
})

test('no key of a disabled tenant authenticates, neither a stored nor a configured one', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { key } = await keyIn(world)
  const configured = { hash: hashKey('from-the-configuration'), tenantId, keyId: 'bootstrap' }
  const authenticate = createAuthenticator(world.engine, [configured])
  await setTenantStatus(world.engine, tenantId, 'disabled')
  await rejectsWith('unauthenticated', authenticate(`Bearer ${key}`))
  await rejectsWith('unauthenticated', authenticate('Bearer from-the-configuration'))
  await setTenantStatus(world.engine, tenantId, 'active')
  await authenticate(`Bearer ${key}`)
  await authenticate('Bearer from-the-configuration')
})

test('a configured key has every scope in its tenant, also before the first write of that tenant', async () => {
  await using world = openUseCases(openInMemoryStore)
  const configured = { hash: hashKey('from-the-configuration'), tenantId: 'default', keyId: 'bootstrap' }
  const authenticate = createAuthenticator(world.engine, [configured])
  assert.deepEqual(await authenticate('ApiKey from-the-configuration'), {
    tenantId: 'default',
    keyId: 'bootstrap',
    scopes,
    reader: null,
    endsAt: null,
    actor: 'key:bootstrap',
  })
})

test('the last use of a key is stored at most once per interval', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { key, authenticate } = await keyIn(world)
  const lastUse = async () => {
    // The last use is stored after the response.
    await new Promise((resolve) => setImmediate(resolve))
    return (await listKeys(world.tenant, firstPage))[0]?.lastUsedAt
  }
  const first = new Date(world.clock.now).toISOString()
  await authenticate(`Bearer ${key}`)
  assert.equal(await lastUse(), first)
  world.clock.advance(limits.keyUseNoteMs - 1)
  await authenticate(`Bearer ${key}`)
  assert.equal(await lastUse(), first)
  world.clock.advance(1)
  await authenticate(`Bearer ${key}`)
  assert.equal(await lastUse(), new Date(world.clock.now).toISOString())
})
