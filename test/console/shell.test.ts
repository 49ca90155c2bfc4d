import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import type { Locator } from 'playwright-core'
import { chain, noop, register, startRun } from '../server/runs-calls.ts'
import { useServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { assertQuiet, logIn, openConsole, openTab } from './console.ts'
import { everyScreen, everyTab } from './routes.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('the root URL opens the console: a wrong key is reported, and the right one opens a session for all tabs', async () => {
  await using page = await openTab()
  await page.goto(server.url)
  await page.getByLabel('API key').fill('not-a-key-of-this-server')
  await page.getByRole('button', { name: 'Open the console' }).click()
  assert.match((await page.getByRole('alert').textContent()) ?? '', /Unknown API key/)
  await logIn(page, server.key)
  await page.reload()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  const kept = 'JSON.stringify([localStorage, sessionStorage]) + document.cookie'
  assert.doesNotMatch(await page.evaluate<string>(kept), /c[ks]_|colophon_session/, 'no script can read a credential')
  const { call } = server
  const { id } = (await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'A note to open.' })).body
  await page.goto(`${server.url}/console/memories?ref=notes`)
  // Not by a click with Control: the driver of the browser sometimes misses that the page of such a tab has loaded.
  const address = await page.getByRole('link', { name: /A note to open/ }).getAttribute('href')
  assert.equal(address, `/console/memories/${id}`)
  const second = await page.context().newPage()
  await second.goto(`${server.url}${address}`)
  await second.getByRole('navigation', { name: 'Screens' }).waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('API key').waitFor()
  await second.getByLabel('API key').waitFor()
  assertQuiet(page)
})

test('a log-out that the server did not answer says that the browser is still logged in', async () => {
  await using page = await openConsole(server)
  await page.route('**/host/colophon/session', (route) => route.abort())
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByRole('alert').getByText('This browser is still logged in').waitFor()
  await page.unroute('**/host/colophon/session')
  await page.reload()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('API key').waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
})

test('a 401 logs out only if the session has ended', async () => {
  const { key } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/settings')
  const refused = { error: 'unauthenticated', message: 'This path needs another key.' }
  await page.route('**/host/colophon/keys*', (route) => route.fulfill({ status: 401, json: refused }))
  const asked = page.waitForResponse((response) => response.url().endsWith('/host/colophon/session'))
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: /^Security/ })
    .click()
  await page.getByRole('alert').getByText('This path needs another key.').waitFor()
  assert.equal((await asked).status(), 200)
  await page.getByRole('heading', { level: 1, name: 'Security & audit' }).waitFor()
  // Ended elsewhere, as by another program with the cookie.
  const path = '/v1/host/colophon/session'
  await page.evaluate(`fetch('${path}', { method: 'DELETE' })`)
  await page.getByRole('alert').getByText('Your session has ended: log in again.').waitFor()
  await page.getByLabel('API key').waitFor()
  assertQuiet(page)
})

test('every screen can be reached by keyboard alone, and by its old address', async () => {
  await using page = await openConsole(server)
  for (const [key, path] of Object.entries({
    i: 'inbox',
    m: 'memories',
    r: 'runs',
    s: 'sources',
    o: 'operations',
    p: 'privacy',
    x: 'security',
    ',': 'settings',
  })) {
    await page.keyboard.press('g')
    await page.keyboard.press(key)
    await page.waitForURL(`**/console/${path}`)
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /Screen, id/ }).fill('claims')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/console/claims')
  for (const [old, now] of [
    ['/time?tab=jobs', '/operations?tab=jobs'],
    ['/time?tab=forgetting', '/privacy?tab=forgetting'],
    ['/conflicts?show=all', '/claims?show=all'],
  ]) {
    await page.goto(`${server.url}/console${old}`)
    await page.waitForURL(`${server.url}/console${now}`)
  }
  assertQuiet(page)
})

test('the theme follows the system, can be changed, and is kept', async () => {
  await using page = await openConsole(server, '/', { colorScheme: 'dark' })
  const theme = () => page.evaluate('document.documentElement.dataset.theme')
  assert.equal(await theme(), 'dark')
  await page.getByRole('button', { name: 'Light theme' }).click()
  assert.equal(await theme(), 'light')
  await page.reload()
  await page.getByRole('navigation', { name: 'Screens' }).waitFor()
  assert.equal(await theme(), 'light')
})

test('on a narrow screen every control is reachable and nothing is wider than the screen', async () => {
  await using page = await openConsole(server, '/', { viewport: { width: 360, height: 700 } })
  const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link')
  const names = ['Inbox', 'Memories', 'Runs', 'Sources', 'Operations', 'Privacy', 'Security & audit', 'Settings']
  assert.equal(await links.count(), names.length)
  for (const name of names) {
    await links.filter({ hasText: name }).click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    assert.ok(overflow <= 0, `${name} is ${overflow} pixels too wide`)
    assert.ok(await isInView(links.filter({ hasText: name })), `the link to ${name} is out of view`)
  }
  await page.goto(`${server.url}/console/security?tab=audit`)
  const tab = page.getByRole('tab', { name: 'Audit' })
  await page.getByRole('heading', { name: 'Audit chain' }).waitFor()
  assert.ok(await isInView(tab), 'the open tab is out of view')
  await page.goto(`${server.url}/console/security?tab=no-such-tab`)
  await page.getByRole('heading', { name: 'API keys' }).waitFor()
  const fade = 'getComputedStyle(document.querySelector("[role=tablist]")).maskImage'
  assert.match(await page.evaluate<string>(fade), /gradient/, 'tabs beyond the edge have no hint')
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`every screen is accessible (${colorScheme})`, async () => {
    const { key, call } = await server.tenant()
    await addWriter(call, 'chat', 40)
    await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada prefers dark mode.' })
    const [{ id }] = (await call('GET', '/v1/memories?external_user_id=ada')).body.data
    // Its steps are in the audit log, with an actor that leads to the receipt.
    await ingest(call, 'bob', { service: 'chat', event: 'e2', text: 'Bob prefers tea.' })
    await call('POST', '/v1/host/colophon/forget', { subject: 'bob', reason: 'on request' })
    await using page = await openConsole({ url: server.url, key }, '/', { colorScheme })
    await register(call, chain('greets', [noop()]))
    const runId = await startRun(call, 'greets')
    const screens = [...everyScreen({ id, runId, subject: 'ada' }), ...(isThorough ? everyTab() : [])]
    // The colours are variables of the whole page: `npm test` looks at every third screen in dark, and `npm run test:all` at each, with its tabs.
    const isExamined = (at: number) => colorScheme === 'light' || isThorough || at % 3 === 0
    for (const path of screens.filter((_, at) => isExamined(at))) {
      await page.goto(`${server.url}/console${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      if (path.endsWith(id))
        await page
          .getByRole('region', { name: /^Lineage/ })
          .getByText('priority 40')
          .waitFor()
      const rules = new AxeBuilder({ page })
      // The same page in other colours.
      const { violations } = await (colorScheme === 'dark' ? rules.withRules('color-contrast') : rules).analyze()
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${path} ${id} ${nodes[0]?.html}`),
        [],
      )
    }
    assertQuiet(page)
  })
}

test('what a key cannot do is disabled, and names the scope', async () => {
  const { call } = await server.tenant()
  const { key } = (await call('POST', '/v1/host/colophon/keys', { name: 'reader', scopes: ['memory:read'] })).body
  await using page = await openConsole({ url: server.url, key }, '/settings')
  await page.getByRole('main').getByText('memory:read').waitFor()
  const quotas = page.getByRole('definition')
  for (const words of ['0 of 10,000,000', /^[1-9][\d,.]* (bytes|KB) of 100 GB$/, '2 of 1,000'])
    await quotas.getByText(words, { exact: true }).waitFor()
  for (const [path, name, scope] of [
    ['/privacy', 'Erase …', 'memory:admin'],
    ['/operations?tab=compactions', 'Compact a ref …', 'memory:admin'],
    ['/operations?tab=webhooks', 'New webhook', 'webhooks:manage'],
    ['/sources', 'Register a writer', 'memory:admin'],
    ['/security', 'New key', 'keys:manage'],
    ['/security?tab=vault', 'Store', 'memory:admin'],
  ] as const) {
    await page.goto(`${server.url}/console${path}`)
    const button = page.getByRole('main').getByRole('button', { name })
    await page.locator('main button[disabled][title]', { hasText: name }).waitFor()
    assert.equal(await button.getAttribute('title'), `Your key lacks the scope ${scope}.`)
  }
  await page.goto(`${server.url}/console/security?tab=audit`)
  const refusal = page.getByRole('alert')
  await refusal.getByText('The key lacks the scope audit:read.').waitFor()
  await refusal.getByText('Use another key').waitFor()
  assert.equal(await refusal.getByRole('button', { name: 'Retry' }).count(), 0, 'a retry cannot help')
  assert.equal(await page.getByText('Loading').count(), 0)
  assertQuiet(page)
})

test('a page of the console loads nothing from other hosts', async () => {
  const answer = await server.as(null)('GET', '/console/memories')
  assert.equal(answer.status, 200)
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.equal(
    (await server.as(null)('GET', '/console/..%2f..%2fpackage.json')).text.includes('devDependencies'),
    false,
  )
})

/** Whether no part of it is beyond the left or the right edge of the display. */
async function isInView(target: Locator): Promise<boolean> {
  const [box, width] = [await target.boundingBox(), target.page().viewportSize()?.width ?? 0]
  return box !== null && box.x >= 0 && box.x + box.width <= width
}
