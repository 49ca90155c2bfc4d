import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { aesCipher } from '../../adapters/cipher/aes.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { defaultSettings } from '../../core/settings.ts'
import type { Storage } from '../../ports/storage.ts'
import { put } from '../entries/put.ts'
import { freshContext, loadSettings, refreshRedaction } from './redaction-state.ts'
import { putRule, removeRule, tryRedaction, writeSettings } from './rules.ts'
import { listSecrets, putSecret, removeSecret, rewrapDataKey } from './vault.ts'
import { canOpenVault, type VaultAccess } from './vault-access.ts'

const value = 'correct-horse-battery'
const newVault = (): VaultAccess => ({ cipher: aesCipher, masterKey: aesCipher.newKey(), otherKeys: [] })

test('a secret of the vault is redacted in texts from its put to its removal, and its value is never returned', async () => {
  await using world = openUseCases(openInMemoryStore, { vault: newVault() })
  const { engine } = world
  const stored = async () => (await put(engine.tenant(tenantId), 'notes', { content: `Say ${value}.` })).content
  assert.equal(await stored(), `Say ${value}.`)
  await putSecret(engine.tenant(tenantId), 'password', { value })
  assert.equal(await stored(), 'Say [REDACTED:password].')
  const shown = [
    await listSecrets(engine.tenant(tenantId)),
    await engine.storage.record(tenantId, 'secret', 'password'),
  ]
  assert.ok(!JSON.stringify(shown).includes(value))
  await removeSecret(engine.tenant(tenantId), 'password')
  assert.equal(await stored(), `Say ${value}.`)
})

test('a tenant with secrets cannot write without the vault key that decrypts them', async () => {
  const vault = newVault()
  const storages: Storage[] = []
  const keep: typeof openInMemoryStore = (options) => {
    storages[0] ??= openInMemoryStore(options)
    return storages[0]
  }
  await using first = openUseCases(keep, { vault })
  await putSecret(first.tenant, 'password', { value })
  const writeWith = (access?: VaultAccess) => {
    const { engine } = openUseCases(keep, access === undefined ? {} : { vault: access })
    return { engine, write: () => put(engine.tenant(tenantId), 'notes', { content: `Say ${value}.` }) }
  }
  for (const access of [undefined, newVault()]) {
    const { engine, write } = writeWith(access)
    await rejectsWith('vault_unavailable', write, value)
    assert.equal(await canOpenVault(engine, tenantId), false)
    assert.equal(await canOpenVault(engine, 'globex'), true)
  }
  const { write } = writeWith({ ...newVault(), otherKeys: [vault.masterKey] })
  assert.equal((await write()).content, 'Say [REDACTED:password].')
})

test('a rewrapped data key can be unwrapped with the next master key and no longer with the old one', async () => {
  const vault = newVault()
  await using world = openUseCases(openInMemoryStore, { vault })
  await putSecret(world.tenant, 'password', { value })
  const next = aesCipher.newKey()
  assert.equal(await rewrapDataKey(world.engine.tenant('globex'), next), false)
  assert.equal(await rewrapDataKey(world.tenant, next), true)
  const { storage } = world.engine
  assert.equal(await canOpenVault({ storage, vault }, tenantId), false)
  assert.equal(await canOpenVault({ storage, vault: { ...vault, masterKey: next } }, tenantId), true)
})

test('a name that contains a secret, its own or another one, is refused, and the draft is validated', async () => {
  await using world = openUseCases(openInMemoryStore, { vault: newVault() })
  const { engine } = world
  await putSecret(engine.tenant(tenantId), 'password', { value })
  await rejectsWith('secret_leakage', putSecret(engine.tenant(tenantId), 'other-secret', { value: 'other-secret' }))
  await rejectsWith('secret_leakage', putSecret(engine.tenant(tenantId), value, { value: 'another-value' }), value)
  const refused: [string, object][] = [
    ['has space', { value }],
    ['bracket]', { value }],
    ['user', { value, scope: 'user' }],
    ['run', { value, runId: 'run_1' }],
  ]
  for (const [id, draft] of refused) {
    await rejectsWith('validation_error', putSecret(engine.tenant(tenantId), id, draft as { value: string }), value)
  }
  assert.deepEqual(
    (await listSecrets(engine.tenant(tenantId))).map(({ id }) => id),
    ['password'],
  )
})

test('without a vault key no secret can be stored', async () => {
  await using world = openUseCases(openInMemoryStore)
  await rejectsWith('vault_unavailable', putSecret(world.tenant, 'password', { value }), value)
})

test('an operator rule redacts texts but not the names of administrative records', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine } = world
  await putRule(engine.tenant(tenantId), 'ticket', { pattern: 'ticket' })
  const { redaction } = await freshContext(engine.tenant(tenantId))
  const scanned = redaction.redact(({ scan, scanNames }) => [scan, scanNames].map((one) => one('a ticket', () => {})))
  assert.deepEqual(await scanned, ['a [REDACTED:ticket]', 'a ticket'])
})

test('the policy reject refuses a text that the policy rewrite would change', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine } = world
  await putRule(engine.tenant(tenantId), 'ticket', { pattern: 'TCK-[0-9]{6}' })
  const write = () => put(engine.tenant(tenantId), 'notes', { content: 'See TCK-123456.' })
  assert.equal((await write()).content, 'See [REDACTED:ticket].')
  await writeSettings(engine.tenant(tenantId), { redactionPolicy: 'reject' })
  await rejectsWith('secret_leakage', write, 'TCK-123456')
  await writeSettings(engine.tenant(tenantId), { redactionPolicy: 'rewrite' })
  assert.equal((await write()).content, 'See [REDACTED:ticket].')
})

test('the redaction is reloaded only when its version has changed', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine } = world
  const context = await engine.contextOf(tenantId)
  const { storage } = engine
  assert.equal(await refreshRedaction(engine, context), false)
  await putRule(engine.tenant(tenantId), 'ticket', { pattern: 'TCK' })
  assert.equal(await refreshRedaction(engine, context), true)
  assert.equal(context.redaction.version, (await storage.clock(tenantId))?.redactionVersion)
  await put(engine.tenant(tenantId), 'notes', { content: 'text' })
  assert.equal(await refreshRedaction(engine, context), false)
  assert.equal((await removeRule(engine.tenant(tenantId), 'unknown')).deleted, false)
})

test('settings that were stored before a setting existed have the default of that setting', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { engine } = world
  assert.deepEqual(await loadSettings(engine.storage, tenantId), defaultSettings)
  const facts = { sessionSummary: false, compaction: { enabled: true } }
  const admin = [{ kind: 'settings', id: 'tenant', body: { text: {}, facts, sealed: {} }, expects: 0 }] as const
  await engine.tenant(tenantId).commit({ kind: 'admin.settings.changed', admin }, { call: { operation: 'test' } })
  assert.deepEqual(await loadSettings(engine.storage, tenantId), {
    ...defaultSettings,
    sessionSummary: false,
    compaction: { ...defaultSettings.compaction, enabled: true },
  })
})

test('trying a rule changes nothing, and the result contains no secret', async () => {
  await using world = openUseCases(openInMemoryStore, { vault: newVault() })
  const { engine } = world
  await putSecret(engine.tenant(tenantId), 'password', { value })
  const tried = await tryRedaction(engine.tenant(tenantId), `${value} and TCK-1`, 'TCK-[0-9]')
  assert.equal(tried.text, '[REDACTED:password] and [REDACTED:tried-rule]')
  assert.deepEqual(
    tried.hits.map(({ count }) => count),
    [1, 1],
  )
  assert.equal((await tryRedaction(engine.tenant(tenantId), 'TCK-1')).text, 'TCK-1')
})
