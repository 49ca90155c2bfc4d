import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useServer } from '../support/server.ts'
import { assertQuiet, countClicks, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('why is it believed, and who was overruled: two clicks from the start page', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'support-chat', 40)
  await addWriter(call, 'account-page', 80)
  await ingest(call, 'ada', { service: 'support-chat', event: 'chat-1', text: 'Ada prefers <b>dark</b> mode.' })
  await ingest(call, 'ada', { service: 'account-page', event: 'save-1', text: 'Ada prefers light mode.' })
  await using page = await openConsole({ url: server.url, key }, '/')
  const clicks = countClicks()
  await clicks.on(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: /^Memories/ }))
  await clicks.on(page.getByRole('link', { name: /light mode/ }))
  await page.getByText('Current because account-page (80) outranked support-chat (40).').waitFor()
  assert.ok(clicks.count <= 2)
  assert.equal(await page.locator('mark').first().textContent(), 'Ada prefers light mode')
  assert.equal(await page.locator('s').textContent(), 'Ada prefers <b>dark</b> mode.', 'what lost is struck through')
  assert.match(
    (await page.locator('[data-result="decided"]').textContent()) ?? '',
    /Priority of the writer.*80 over 40/,
  )
  await page.getByText('No run has read it.').waitFor()
  await page.getByRole('switch', { name: 'In every prompt: off' }).click()
  await page.getByText('in every prompt', { exact: true }).waitFor()
  const prompted = await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'zeppelin' })
  assert.equal(prompted.body.data[0].always_include, true)
  await page.getByRole('switch', { name: 'In every prompt: on' }).click()
  await page.getByRole('switch', { name: 'In every prompt: off' }).waitFor()
  await page.getByRole('button', { name: 'Verify the chain' }).click()
  await page.getByText(/Chain verified just now/).waitFor()
  const graph = page.getByRole('region', { name: /^Lineage/ })
  await graph.getByText('priority 80').waitFor()
  await graph.getByText('priority 40').waitFor()
  assert.equal(await page.title(), 'Memory · Colophon')
  await graph.getByRole('link', { name: /support-chat/ }).click()
  await page.getByText('Superseded because account-page (80) outranked support-chat (40).').waitFor()
  await page.getByRole('heading', { name: 'What won instead' }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 390, 'nothing is cut off')
  assertQuiet(page)
})

test('a key that can only read memory sees the reason, and which scope shows the rest', async () => {
  const { call } = await server.tenant()
  await addWriter(call, 'chat', 40)
  await ingest(call, 'ada', { service: 'chat', event: 'chat-1', text: 'Ada prefers dark mode.' })
  const { id } = (await call('GET', '/v1/memories?external_user_id=ada')).body.data[0]
  const { key } = (await call('POST', '/v1/host/colophon/keys', { name: 'reader', scopes: ['memory:read'] })).body
  await using page = await openConsole({ url: server.url, key }, `/memories?entry=${id}`)
  await page.waitForURL(`**/memories/${id}`)
  await page.getByText('Current because chat stated it, and no other content is known.').waitFor()
  await page.getByText('keys with the scope audit:read').waitFor()
  await page.getByText('keys with the scope runs:read').waitFor()
  const edit = page.getByRole('button', { name: 'Edit' })
  assert.deepEqual(
    [await edit.isDisabled(), await edit.getAttribute('title')],
    [true, 'Your key lacks the scope memory:write.'],
  )
  await page.getByText('reader', { exact: true }).click()
  await page.getByRole('list', { name: 'Scopes of your key' }).getByText('memory:read').waitFor()
  assertQuiet(page)
})
