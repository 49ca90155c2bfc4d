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
  assert.match((await page.locator('nav [aria-current="page"]').textContent()) ?? '', /^Memories/)
  const row = page.getByRole('list', { name: 'ui.theme over time' })
  await row.getByRole('link', { name: /^Ada prefers <b>dark<\/b> mode\. \(chat, .*superseded\)$/ }).waitFor()
  await row.getByRole('link', { name: /^Another content won: Ada prefers light mode\. \(crm/ }).waitFor()
  await row.getByRole('link', { name: /Stated and lost at once: Ada prefers sepia\./ }).waitFor()
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

test('the page of a subject lists memories without a claim, and says who erased everything and when', async () => {
  const { call } = await server.tenant()
  await addWriter(call, 'chat', 40)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada prefers dark mode.' })
  const entries = '/v1/host/colophon/memory/notes/entries'
  await call('POST', entries, { content: 'Ada owns a <b>boat</b>.', subject: 'ada' })
  await call('POST', entries, { content: 'Bo owns a car.', subject: 'bo' })
  const scopes = ['memory:read', 'memory:admin', 'audit:read']
  const desk = (await call('POST', '/v1/host/colophon/keys', { name: 'privacy <b>desk</b>', scopes })).body
  await using page = await openConsole({ url: server.url, key: desk.key }, '/subjects/ada')
  const others = page.getByRole('list', { name: 'Without a claim' })
  await others.getByRole('link', { name: 'Ada owns a <b>boat</b>.' }).waitFor()
  assert.equal(await others.getByRole('listitem').count(), 1)
  const reason = 'Request 2026-118'
  const { id } = (await server.as(desk.key)('POST', '/v1/host/colophon/forget', { subject: 'ada', reason })).body
  await page.reload()
  await page.locator('[data-gap]').waitFor()
  const erasures = page.getByRole('list', { name: 'Erasures' })
  await erasures
    .getByText(
      /^Everything was erased on \w{3} \d+ \w+ \d\d:\d\d by the key “privacy <b>desk<\/b>”.*: Request 2026-118\./,
    )
    .waitFor()
  await others.waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('list', { name: 'ui.theme over time' }).count(), 0)
  await erasures.getByRole('link', { name: 'Receipt' }).click()
  await page.getByRole('dialog').getByText('✓ Verified in this page').waitFor()
  // The steps of the erasure are in the audit, in words, and lead to the same receipt.
  await page.goto(`${server.url}/console/security?tab=audit`)
  const requester = 'Forget request of the key “privacy <b>desk</b>”'
  const records = page.getByRole('region', { name: 'Audit records' })
  await records.getByText(requester).locator('visible=true').first().click()
  await records.getByRole('link', { name: requester }).click()
  await page.waitForURL(`**/privacy?forget=${id}`)
  assertQuiet(page)
  const reader = (await call('POST', '/v1/host/colophon/keys', { name: 'reader', scopes: ['memory:read'] })).body
  await using other = await openConsole({ url: server.url, key: reader.key }, '/subjects/ada')
  await other.getByText('Nothing is known about ada.').waitFor()
  assertQuiet(other)
})
