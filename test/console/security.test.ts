import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Call, useServer } from '../support/server.ts'
import { assertQuiet, countClicks, openConsole } from './console.ts'

const server = useServer()

test('a key is made with few scopes, shown once, and revoked', async () => {
  const { key } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/security')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('reader')
  const create = page.getByRole('button', { name: 'Create the key' })
  await page.getByLabel('Your API key').fill('not-the-key')
  await create.click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Your API key').fill(key)
  await create.click()
  const shown = await page.getByRole('dialog').locator('p.font-mono').textContent()
  assert.equal((await server.as(shown)('GET', '/v1/host/colophon/memory')).status, 200)
  assert.equal((await server.as(shown)('GET', '/v1/host/colophon/keys')).status, 403)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = page.getByRole('row', { name: /reader/ })
  await row.getByRole('button', { name: 'Revoke' }).click()
  const question = page.getByRole('dialog', { name: 'Revoke the key “reader”?' })
  assert.equal((await server.as(shown)('GET', '/v1/host/colophon/memory')).status, 200, 'one click revokes nothing')
  await question.getByRole('button', { name: 'Revoke reader' }).click()
  await row.getByText('revoked').waitFor()
  assert.equal((await server.as(shown)('GET', '/v1/host/colophon/memory')).status, 401)
  assertQuiet(page)
})

test('rotating the key of this session: the session goes on, and the key is shown until it is saved', async () => {
  const { call } = await server.tenant()
  const scopes = ['memory:read', 'keys:manage']
  const old = (await call('POST', '/v1/host/colophon/keys', { name: 'mine', scopes })).body.key
  await using page = await openConsole({ url: server.url, key: old }, '/security')
  const clicks = countClicks()
  await clicks.on(page.getByRole('row', { name: /mine.*this session/ }).getByRole('button', { name: 'Rotate' }))
  await page.getByText('You are logged in with this key.').waitFor()
  await page.getByLabel('The old key ends').selectOption('at once')
  await page.getByLabel('Your API key').fill(old)
  await clicks.on(page.getByRole('button', { name: 'Rotate mine' }))
  const dialog = page.getByRole('dialog', { name: 'The key “mine”' })
  await dialog.getByText('This browser is logged in with the new key.').waitFor()
  await page.keyboard.press('Escape')
  const made = await dialog.locator('p.font-mono').textContent()
  assert.notEqual(made, old)
  assert.deepEqual(
    [
      (await server.as(old)('GET', '/v1/host/colophon/keys')).status,
      (await server.as(made)('GET', '/v1/host/colophon/keys')).status,
    ],
    [401, 200],
  )
  await dialog.getByRole('button', { name: 'Copy' }).waitFor()
  await clicks.on(dialog.getByRole('button', { name: 'I saved it' }))
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: /mine.*revoked/ }).waitFor()
  await page.getByRole('row', { name: /mine.*this session.*active/ }).waitFor()
  assert.equal(clicks.count, 3)
  assertQuiet(page)
})

test('what a key wrote is contained after a preview, and released', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  const made = (await call('POST', '/v1/host/colophon/keys', { name: 'stolen', scopes: ['memory:write'] })).body
  await server.as(made.key)('POST', entries, { content: 'Stolen.' })
  const count = async () => (await call('GET', entries)).body.entries.length
  await using page = await openConsole({ url: server.url, key }, '/security?tab=containments')
  await page.getByRole('button', { name: 'Contain a source' }).click()
  await page.getByLabel('Name or id').fill(made.id)
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('entries: 1').waitFor()
  assert.equal(await count(), 1)
  await page.getByRole('button', { name: 'Contain', exact: true }).click()
  const row = page.getByRole('row', { name: /applied/ })
  await row.waitFor()
  assert.equal(await count(), 0)
  await row.getByRole('button', { name: 'Release' }).click()
  await row.getByRole('button', { name: /^Confirm: release/ }).click()
  await page.getByText('released').waitFor()
  assert.equal(await count(), 1)
  assertQuiet(page)
})

test('a new secret is found in two memories, and redacted there', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  for (const content of ['It is open-sesame-4711.', 'No secret.', 'Again open-sesame-4711, open-sesame-4711.'])
    await call('POST', entries, { content })
  await using page = await openConsole({ url: server.url, key }, '/security?tab=vault')
  const clicks = countClicks()
  await page.getByLabel('Name').fill('door')
  await page.getByLabel('Value').fill('open-sesame-4711')
  await clicks.on(page.getByRole('button', { name: 'Store' }))
  const stored = page.getByRole('status', { name: 'Stored texts' })
  await stored.getByText('“door” was found in 2 memories: redact it now?').waitFor()
  assert.match((await call('GET', entries)).text, /open-sesame-4711/, 'nothing changes before the click')
  await clicks.on(stored.getByRole('button', { name: 'Redact now' }))
  await stored.getByText('“door” was redacted in 2 memories.').waitFor()
  const after = await call('GET', entries)
  assert.doesNotMatch(after.text, /open-sesame/)
  assert.equal(after.text.match(/\[REDACTED:door\]/g)?.length, 3)
  assert.equal(clicks.count, 2)
  // The redaction is in the chain, which every screen shows as verified.
  await page
    .getByRole('banner')
    .getByRole('link', { name: /^Chain verified/ })
    .click()
  await page.getByText(/Chain verified .*: intact from \d+ to \d+\./).waitFor()
  assertQuiet(page)
})

test('the redaction test shows what would be stored, with the vault, and stores nothing', async () => {
  const { key, call } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/security?tab=vault')
  await page.getByLabel('Name').fill('door')
  await page.getByLabel('Value').fill('open-sesame-4711')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByRole('cell', { name: 'door', exact: true }).waitFor()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'It is open-sesame-4711.' })
  await page.getByRole('tab', { name: 'Redaction' }).click()
  await page.getByRole('row', { name: /door\s*1/ }).waitFor()
  const before = (await call('GET', '/v1/host/colophon/audit')).body.head.position
  await page.getByLabel(/^Text/).fill('The word is open-sesame-4711, tell nobody.')
  await page.getByRole('button', { name: 'Preview redaction' }).click()
  await page.getByText('The word is [REDACTED:door], tell nobody.').waitFor()
  assert.equal((await call('GET', '/v1/host/colophon/audit')).body.head.position, before)
  assertQuiet(page)
})

test('a rule is added and deleted, and a refused deletion shows its error', async () => {
  const { key, call } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/security?tab=redaction')
  await page.getByLabel('Name').fill('ticket')
  await page.getByLabel(/^Pattern/).fill('T-[0-9]{6}')
  await page.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('cell', { name: 'T-[0-9]{6}' }).waitFor()
  const rules = async () => (await call('GET', '/v1/host/colophon/rules')).body.rules.length
  assert.equal(await rules(), 1)
  const refused = { code: 'storage_busy', message: 'Somebody else is at it.' }
  await page.route('**/rules/ticket', (route) => route.fulfill({ status: 400, json: { error: refused } }), { times: 1 })
  await page.getByRole('button', { name: 'Delete ticket' }).click()
  const question = page.getByRole('dialog', { name: 'Delete “ticket”?' })
  await question.getByRole('button', { name: 'Delete ticket' }).click()
  await page.getByRole('alert').waitFor()
  assert.equal(await rules(), 1)
  await question.getByRole('button', { name: 'Delete ticket' }).click()
  await page.getByText('No custom rules.').waitFor()
  assert.equal(await rules(), 0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('cell', { name: 'T-[0-9]{6}' }).waitFor()
  assert.equal(await rules(), 1)
  assertQuiet(page)
})

test('the audit chain is verified and exported', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'something to record' })
  await using page = await openConsole({ url: server.url, key })
  // Opening the console is enough to know whether it is intact; one click shows from where to where.
  const clicks = countClicks()
  await clicks.on(page.getByRole('banner').getByRole('link', { name: /^Chain verified/ }))
  await page.getByText(/Chain verified .*: intact from \d+ to \d+\./).waitFor()
  assert.equal(clicks.count, 1)
  await page.getByRole('button', { name: 'Verify contents' }).click()
  await page.getByText(/with the contents of every stored row/).waitFor()
  const records = page.getByRole('region', { name: 'Audit records' }).getByRole('listitem')
  await records.first().waitFor()
  assert.match((await records.first().textContent()) ?? '', new RegExp(`^${await newest(call)}`))
  // By the name that is shown, not only by the id behind it.
  await page.getByPlaceholder('Actor').fill((await call('GET', '/v1/host/colophon/session')).body.name)
  await page.keyboard.press('Enter')
  await page.waitForURL(/actor=/)
  await records.filter({ hasText: 'memory.written' }).waitFor()
  await page.getByPlaceholder('Kind').fill('no.such.kind')
  await page.keyboard.press('Enter')
  await page.getByText('No record matches.').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'colophon-audit.ndjson')
  assertQuiet(page)
})

async function newest(call: Call): Promise<number> {
  return (await call('GET', '/v1/host/colophon/audit?limit=1')).body.head.position as number
}
