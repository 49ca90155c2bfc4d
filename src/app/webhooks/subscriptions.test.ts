import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { rotateWebhookSecret } from './rotate-secret.ts'
import { createWebhook, isForRun, isWanted, loadWebhooks, removeWebhook, webhookAddress } from './subscriptions.ts'

const draft = { url: 'https://hooks.example.com/in', events: ['run.completed'] }
const openWithVault = () =>
  openUseCases(openInMemoryStore, { vault: { cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] } })

test('a webhook gets the events it names, or all with a star; with tags only those of runs that share one', () => {
  const webhook = { webhookId: 'wh_1', createdAt: 0, secretFingerprint: '' }
  const gets = (events: string[], tags: string[], type: string, runTags: string[]) =>
    isWanted({ ...webhook, events, tags }, type) && isForRun({ ...webhook, events, tags }, runTags)
  assert.equal(gets(['run.failed'], [], 'run.failed', []), true)
  assert.equal(gets(['run.failed'], [], 'run.completed', []), false)
  assert.equal(gets(['*'], [], 'run.completed', ['a']), true)
  assert.equal(gets(['*'], ['a', 'b'], 'run.completed', ['b', 'c']), true)
  assert.equal(gets(['*'], ['a'], 'run.completed', []), false)
  assert.equal(gets(['run.failed'], ['a'], 'run.completed', ['a']), false)
})

test('URL and secret are stored encrypted; the secret is shown once, and a fingerprint afterwards', async () => {
  await using world = openWithVault()
  const { webhook, secret } = await createWebhook(world.tenant, draft)
  assert.match(secret ?? '', /^[0-9a-f]{64}$/)
  const stored = JSON.stringify(await world.engine.storage.record(tenantId, 'webhook', webhook.webhookId))
  assert.ok(!stored.includes('example.com') && !stored.includes(secret ?? ''))
  assert.deepEqual(await webhookAddress(world.tenant, webhook.webhookId), { url: draft.url, secret })
  assert.deepEqual(await loadWebhooks(world.tenant), [webhook])
  assert.equal(await webhookAddress(world.tenant, 'wh_unknown'), null)
})

test('after a rotation the secret before signs for the overlap, then the new one', async () => {
  await using world = openWithVault()
  const { webhook, secret } = await createWebhook(world.tenant, draft)
  const { webhookId, secretFingerprint } = webhook
  const rotated = await rotateWebhookSecret(world.tenant, webhookId, {})
  const stored = JSON.stringify(await world.engine.storage.record(tenantId, 'webhook', webhookId))
  assert.ok(!stored.includes(secret ?? '') && !stored.includes(rotated.secret ?? ''))
  assert.notEqual((await loadWebhooks(world.tenant))[0]?.secretFingerprint, secretFingerprint)
  world.clock.advance(limits.webhookRotationOverlapMs - 1)
  assert.deepEqual(await webhookAddress(world.tenant, webhookId), { url: draft.url, secret })
  world.clock.advance(1)
  assert.deepEqual(await webhookAddress(world.tenant, webhookId), { url: draft.url, secret: rotated.secret })
  await rejectsWith('subscription_not_found', rotateWebhookSecret(world.tenant, 'wh_unknown', {}))
})

test('a repeat with its idempotency key gives the first webhook without its secret', async () => {
  await using world = openWithVault()
  const first = await createWebhook(world.tenant, draft, { idempotencyKey: 'w1' })
  const repeat = await createWebhook(world.tenant, draft, { idempotencyKey: 'w1' })
  assert.deepEqual(repeat, { webhook: first.webhook, secret: null, repeated: true })
  await removeWebhook(world.tenant, first.webhook.webhookId, {})
  await rejectsWith('content_erased', createWebhook(world.tenant, draft, { idempotencyKey: 'w1' }))
})

test('a draft that names another tenant is refused, for a removal too', async () => {
  await using world = openWithVault()
  const other = { ...draft, tenantId: 'globex' }
  await rejectsWith('tenant_membership_required', createWebhook(world.tenant, other))
  const { webhook } = await createWebhook(world.tenant, { ...draft, tenantId })
  const { webhookId } = webhook
  await rejectsWith('tenant_membership_required', removeWebhook(world.tenant, webhookId, { tenantId: 'globex' }))
  await removeWebhook(world.tenant, webhookId, { tenantId })
  await rejectsWith('subscription_not_found', removeWebhook(world.tenant, webhookId, {}))
})

test('a draft with a private address, or with one that is not https, is refused', async () => {
  await using world = openWithVault()
  for (const url of ['https://127.0.0.1/in', 'ftp://hooks.example.com']) {
    const given = { ...draft, url }
    const error = await createWebhook(world.tenant, given).catch((thrown: unknown) => thrown)
    assert.ok(isColophonError(error) && error.kind === 'invalid', JSON.stringify(given))
  }
  assert.deepEqual(await loadWebhooks(world.tenant), [])
})

test('without a vault no webhook can be stored', async () => {
  await using world = openUseCases(openInMemoryStore)
  await rejectsWith('vault_unavailable', createWebhook(world.tenant, draft))
})

test('a tenant may have webhooksPerTenantMax webhooks, and a known idempotency key gets its first response beyond that', async () => {
  await using world = openWithVault()
  const first = await createWebhook(world.tenant, draft, { idempotencyKey: 'first' })
  for (let n = 1; n < limits.webhooksPerTenantMax; n++) await createWebhook(world.tenant, draft)
  const before = await world.engine.storage.clock(tenantId)
  for (const options of [{}, { idempotencyKey: 'another' }]) {
    await assert.rejects(
      createWebhook(world.tenant, draft, options),
      (error) => isColophonError(error, 'validation_error') && error.details.limit === 'webhooksPerTenantMax',
    )
  }
  assert.deepEqual(await world.engine.storage.clock(tenantId), before, 'a refused webhook is never stored')
  const repeat = await createWebhook(world.tenant, draft, { idempotencyKey: 'first' })
  assert.equal(repeat.webhook.webhookId, first.webhook.webhookId)
})

test('two concurrent first webhooks of a tenant share one data key, and both can be decrypted', async () => {
  await using world = openWithVault()
  const made = await Promise.all([1, 2].map((n) => createWebhook(world.tenant, { ...draft, events: [`e${n}`] })))
  for (const { webhook, secret } of made) {
    assert.deepEqual(await webhookAddress(world.tenant, webhook.webhookId), { url: draft.url, secret })
  }
})
