import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { toInstant } from '../../core/check.ts'
import { putSecret } from '../redaction/vault.ts'
import { listAudit, verify } from '../verify/verify.ts'
import { createTenant, setTenantStatus } from './tenants.ts'

test('disabling and enabling a tenant are recorded once each, and what is stored matches', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine, tenant, clock } = world
  await createTenant(engine, tenantId)
  const createdAt = toInstant(clock.now)
  for (const status of ['disabled', 'disabled', 'active', 'active'] as const) {
    clock.advance(1_000)
    assert.deepEqual(await setTenantStatus(engine, tenantId, status), { id: tenantId, status, createdAt })
    assert.deepEqual((await verify(tenant, { contents: true })).contents?.anomalies, [])
  }
  const records = await listAudit(tenant, { after: 0, limit: 9 })
  assert.deepEqual(
    records.map(({ kind, actor, body }) => [kind, actor, body.tenantCreatedAt, body.tenantStatus]),
    [
      ['admin.key.created', 'operator', createdAt, undefined],
      ['admin.tenant.disabled', 'operator', undefined, 'disabled'],
      ['admin.tenant.enabled', 'operator', undefined, 'active'],
    ],
  )
  await rejectsWith('not_found', setTenantStatus(engine, 'unknown', 'disabled'))
})

test('a tenant whose vault cannot be opened can be disabled', async () => {
  const storage = openInMemoryStore({ now: () => 1 })
  const vault = { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] }
  await using first = openUseCases(() => storage, { vault })
  await putSecret(first.tenant, 'password', { value: 'kQ7-rUv-29x-Lmp' })
  const { engine } = openUseCases(() => storage)
  await setTenantStatus(engine, tenantId, 'disabled')
  assert.equal((await storage.tenant(tenantId))?.status, 'disabled')
})
