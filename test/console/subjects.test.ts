import assert from 'node:assert/strict'
import { test } from 'node:test'
import { useServer } from '../support/server.ts'
import { assertQuiet, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('the page of a subject shows who was believed when, by keyboard and by drag, and gaps', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 40)
  await addWriter(call, 'crm', 80)
  await ingest(call, 'ada & co', { service: 'chat', event: 'e1', text: 'Ada prefers <b>dark</b> mode.' })
  await ingest(call, 'ada & co', { service: 'crm', event: 'e2', text: 'Ada prefers light mode.' })
  const memories = '/v1/memories?external_user_id=ada%20%26%20co'
  const won = (await call('GET', memories)).body.data[0]
  await ingest(call, 'ada & co', { service: 'chat', event: 'e3', text: 'Ada prefers sepia.' })
  for (const { id } of (await call('GET', `${memories}&include_superseded=true`)).body.data)
    await call('DELETE', `/v1/memories/${id}`)
  await ingest(call, 'ada & co', { service: 'chat', event: 'e4', text: 'Ada prefers blue mode.' })
  await using page = await openConsole({ url: server.url, key }, '/memories')
  await page.getByRole('table', { name: 'Memories' }).getByRole('link', { name: 'ada & co' }).click()
  await page.getByRole('heading', { name: 'ada & co' }).waitFor()
  assert.equal(await page.title(), 'Subject · Colophon')
  const row = page.getByRole('list', { name: 'ui.theme over time' })
  await row.getByRole('link', { name: /^Ada prefers <b>dark<\/b> mode\. \(chat, .*superseded\)$/ }).waitFor()
  await row.getByRole('link', { name: /^Another content won: Ada prefers light mode\. \(crm/ }).waitFor()
  await row.getByRole('link', { name: /^Stated and lost at once: Ada prefers sepia\./ }).waitFor()
  assert.match((await row.locator('[data-gap]').textContent()) ?? '', /nothing current: deleted/)
  const writers = page.getByRole('list', { name: 'Writers' })
  assert.deepEqual((await writers.locator('li').allTextContents()).slice(0, 2), ['Achat', 'Bcrm'])
  const believed = page.getByRole('list', { name: 'Believed' })
  await believed.getByText('Ada prefers blue mode.').waitFor()
  const bar = page.getByRole('slider', { name: 'Moment' })
  assert.equal(await bar.getAttribute('aria-valuetext'), 'now')
  await bar.focus()
  await bar.press('Home')
  await bar.press('ArrowRight')
  await page.waitForURL(/asOf=/)
  await believed.getByText('Ada prefers light mode.').waitFor()
  assert.equal(await believed.getByRole('listitem').count(), 1)
  await page
    .getByRole('status', { name: 'Moment' })
    .getByText(/^Viewing /)
    .waitFor()
  await believed.getByRole('link', { name: 'Ada prefers light mode.' }).click()
  await page.waitForURL(`**/memories/${won.id}?asOf=**`)
  await page.getByText(/^Current because crm \(80\) outranked chat \(40\)/).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'ada & co' }).click()
  const box = (await bar.boundingBox()) ?? assert.fail('the bar has no place')
  await page.mouse.click(box.x + 2, box.y + box.height / 2)
  await page.getByText('Nothing was known then.').waitFor()
  assert.ok(await page.getByRole('button', { name: 'A week ago' }).isDisabled(), 'nothing was stored then')
  await page.getByRole('button', { name: 'Now', exact: true }).click()
  await believed.getByText('Ada prefers blue mode.').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 390, 'nothing is cut off')
  assertQuiet(page)
})
