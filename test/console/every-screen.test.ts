import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chain, ended, noop, register, startRun } from '../server/runs-calls.ts'
import { useServer } from '../support/server.ts'
import { assertQuiet, openConsole } from './console.ts'
import { everyScreen } from './routes.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

const hostile =
  '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202egnp.txt\u2066 👩‍👩‍👧‍👦🏴‍☠️ {{7*7}} '

test('hostile texts are shown as text on every screen, and a key that only reads can open all of them', async () => {
  const { call } = await server.tenant()
  const subject = 'ada <i>&amp;</i> 🦊'
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 50)
  await ingest(call, subject, { service: 'chat', event: 'e1', text: `${hostile}one` })
  await ingest(call, subject, { service: 'crm', event: 'e2', text: `${hostile}two` })
  const entries = '/v1/host/colophon/memory/notes/entries'
  await call('POST', entries, { content: hostile.repeat(600).slice(0, 60_000), tags: ['<b>tag</b>'] })
  await call('POST', entries, { content: hostile, trust: 'untrusted' })
  await register(call, chain('greets', [noop()]))
  const runId = await startRun(call, 'greets', { inputs: { text: hostile } })
  await ended(call, runId)
  const [{ id }] = (await call('GET', `/v1/memories?external_user_id=${encodeURIComponent(subject)}`)).body.data
  const reader = (await call('POST', '/v1/host/colophon/keys', { name: hostile.slice(0, 60), scopes: ['memory:read'] }))
    .body
  const full = (await call('POST', '/v1/host/colophon/keys', { name: '<b>full</b>', scopes: await ownScopes() })).body
  const paths = everyScreen({ id, runId, subject })
  for (const { key } of [full, reader]) {
    await using page = await openConsole({ url: server.url, key })
    for (const path of paths) {
      await page.goto(`${server.url}/console${path}`)
      await page.locator('main :is(h1, [role=alert])').first().waitFor()
      await page.getByText('Loading …').first().waitFor({ state: 'detached' })
      assert.equal(await page.evaluate('window.hacked'), undefined, path)
      assert.equal(await page.locator('main :is(img, script)').count(), 0, path)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `${path} is ${overflow} pixels too wide`)
      assert.equal(await page.getByText('Something went wrong').count(), 0, path)
    }
    assertQuiet(page)
  }

  async function ownScopes(): Promise<readonly string[]> {
    return (await call('GET', '/v1/host/colophon/session')).body.scopes
  }
})

test('keys and runs are shown by name, with one request for all rows', async () => {
  const { key, call } = await server.tenant()
  const made = []
  for (const name of ['dashboard', 'importer']) {
    made.push((await call('POST', '/v1/host/colophon/keys', { name, scopes: ['memory:write'] })).body)
  }
  for (let number = 0; number < 6; number++) {
    const content = `Note ${number}.`
    await server.as(made[number % 2]?.key)('POST', '/v1/host/colophon/memory/notes/entries', { content })
  }
  await using page = await openConsole({ url: server.url, key }, '/settings')
  const requests: string[] = []
  page.on('request', (request) => request.url().endsWith('/names') && requests.push(request.postData() ?? ''))
  await page.goto(`${server.url}/console/security?tab=audit`)
  const records = page.getByRole('region', { name: 'Audit records' })
  for (const name of ['dashboard', 'importer']) await records.getByText(`the key “${name}”`).first().waitFor()
  assert.equal(await records.getByText(/key:key_/).count(), 0)
  assert.equal(requests.length, 1)
  await page.goto(`${server.url}/console/memories`)
  await page.getByText('the key “importer”').locator('visible=true').first().waitFor()
  assertQuiet(page)
})
