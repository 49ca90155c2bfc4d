import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useServer } from '../support/server.ts'
import { assertQuiet, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('the overview counts entries, shows what is waiting, and updates by itself', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'ada', { service: 'crm', event: 'e2', text: 'Ada likes the light theme.' })
  const stats = await call('GET', '/v1/host/colophon/stats')
  assert.equal(stats.status, 200, stats.text)
  assert.deepEqual([stats.body.entries, stats.body.sourceEvents, stats.body.contestedClaims], [1, 2, 1])
  await using page = await openConsole({ url: server.url, key })
  const figure = (name: string) => page.locator('dl > div', { hasText: name })
  await figure('Memories').getByText('1', { exact: true }).waitFor()
  await figure('Conflicts').getByText('1', { exact: true }).waitFor()
  await page.getByRole('img', { name: /changes in seven days/ }).waitFor()
  await page.locator('[data-connection="open"]').waitFor()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'while you look' })
  await page.getByRole('list', { name: 'Live changes' }).getByText('notes').waitFor()
  await figure('Memories').getByText('2', { exact: true }).waitFor()
  assertQuiet(page)
})

test('figures of a tenant are shown only to keys with the scope to read it', async () => {
  const { call } = await server.tenant()
  const made = await call('POST', '/v1/host/colophon/keys', { name: 'runner', scopes: ['runs:read'] })
  assert.equal((await server.as(made.body.key)('GET', '/v1/host/colophon/stats')).status, 403)
  assert.equal((await server.as(null)('GET', '/v1/host/colophon/stats')).status, 401)
})
