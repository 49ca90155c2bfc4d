import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useServer } from '../support/server.ts'
import { assertQuiet, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('a user decides a conflict, and a second tab shows the new winner', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 50)
  await ingest(call, 'ada', {
    service: 'chat',
    event: 'e1',
    text: 'Ada likes the dark theme.',
    at: '2026-01-01T00:00:00Z',
  })
  await ingest(call, 'ada', {
    service: 'crm',
    event: 'e2',
    text: 'Ada likes the light theme.',
    at: '2026-01-02T00:00:00Z',
  })
  await using page = await openConsole({ url: server.url, key }, '/conflicts')
  await page.getByRole('button', { name: /ada: ui.theme/ }).click()
  const address = page.url()
  await using second = await openConsole(
    { url: server.url, key },
    new URL(address).pathname.replace('/console', '') + new URL(address).search,
  )
  await second.locator('[data-connection="open"]').waitFor()
  const holds = (tab: typeof page, text: string) =>
    tab.locator('article[data-status="active"]', { hasText: text }).waitFor()
  await holds(second, 'light theme')
  await page.locator('article', { hasText: 'dark theme' }).getByRole('button', { name: 'Pin this' }).click()
  await page.getByLabel(/Reason/).fill('She said so on the phone.')
  await page.getByRole('button', { name: 'Pin', exact: true }).click()
  await holds(page, 'dark theme')
  await holds(second, 'dark theme')
  await second.getByText('She said so on the phone.').waitFor()
  await page.getByRole('button', { name: 'Remove the pin' }).click()
  await page.getByLabel(/Reason/).fill('Ask the services again.')
  await page.getByRole('button', { name: 'Unpin' }).click()
  await holds(second, 'light theme')
  assertQuiet(page)
  assertQuiet(second)
})

test('other authority rules are previewed, then saved, and applied to earlier claims', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 80)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'ada', { service: 'crm', event: 'e2', text: 'Ada likes the light theme.' })
  await using page = await openConsole({ url: server.url, key }, '/sources')
  await page.getByRole('button', { name: 'Edit the authority of chat' }).click()
  await page.getByLabel('preference', { exact: true }).fill('101')
  await page.getByText('whole numbers from 0 to 100').waitFor()
  await page.getByLabel('preference', { exact: true }).fill('95')
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByText('1 of 1 claims would have another winner').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '95', exact: true }).waitFor()
  await page.goto(`${server.url}/console/memories?ref=subject:ada`)
  await page
    .getByRole('button', { name: /dark theme/ })
    .filter({ hasText: 'chat' })
    .waitFor()
  assertQuiet(page)
})

test('a source event shows its messages and the memories that it stated', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await using page = await openConsole({ url: server.url, key }, '/sources?tab=events')
  await page.getByRole('button', { name: /e1/ }).click()
  await page.getByRole('dialog').getByRole('link', { name: /^mem_/ }).waitFor()
  assert.match((await page.getByRole('dialog').locator('pre').textContent()) ?? '', /"role": "user"/)
  await page.getByRole('dialog').getByRole('link', { name: /^mem_/ }).click()
  await page.getByRole('list', { name: 'Colophon' }).getByText('chat sent it in event e1').waitFor()
  assertQuiet(page)
})

test('a user releases one memory from quarantine and rejects another', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  for (const content of ['Ada prefers gin.', 'Ada prefers rum.'])
    await call('POST', entries, { content, trust: 'untrusted' })
  await using page = await openConsole({ url: server.url, key }, '/conflicts?show=quarantine')
  const decide = async (text: string, verb: string) => {
    await page.locator('li', { hasText: text }).getByRole('button', { name: verb }).click()
    await page.getByLabel(/Reason/).fill('She said so on the phone.')
    await page.getByRole('button', { name: `${verb} it` }).click()
    await page.locator('li', { hasText: text }).waitFor({ state: 'detached' })
  }
  await decide('gin', 'Release')
  await decide('rum', 'Reject')
  await page.getByText('Nothing is in quarantine.').waitFor()
  const { body } = await call('GET', entries)
  assert.deepEqual(
    body.entries.map(({ content }: { content: string }) => content),
    ['Ada prefers gin.'],
  )
  assertQuiet(page)
})
