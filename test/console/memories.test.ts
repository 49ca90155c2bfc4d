import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoriesOf } from '../server/memories-calls.ts'
import { useServer } from '../support/server.ts'
import { assertQuiet, countClicks, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

const path = (ref: string, rest = '') => `/memories?ref=${encodeURIComponent(ref)}${rest}`

test('a memory is found, and its colophon shows its source, its event and its audit record', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'evt-1', text: 'Ada prefers the dark theme.' })
  await using page = await openConsole({ url: server.url, key }, '/memories')
  await page.getByRole('button', { name: /subject:ada/ }).click()
  await page.getByRole('link', { name: /Ada prefers the dark theme/ }).click()
  const chain = page.getByRole('list', { name: 'Colophon' })
  await chain.getByText('chat sent it in event evt-1').waitFor()
  await page.getByRole('region', { name: /^Lineage: .*chat evt-1/ }).waitFor()
  await chain.getByText(/Audit record \d+/).waitFor()
  await chain.getByRole('button', { name: 'Verify' }).click()
  const messages = [
    {
      role: 'user',
      content: 'Ada prefers the dark theme.',
      category: 'preference',
      claim_key: 'ui.theme',
      confidence: 0.9,
    },
  ]
  await page.getByLabel('Messages (JSON)').fill(JSON.stringify(messages))
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('The messages match the payload hash.').waitFor()
  await page.getByLabel('Messages (JSON)').fill(JSON.stringify([{ role: 'user', content: 'Something else.' }]))
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByText('The messages do not match the payload hash.').waitFor()
  assertQuiet(page)
})

test('an edit is a new version that shows what changed', async () => {
  const { key, call } = await server.tenant()
  const put = await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'The door code is old.' })
  await using page = await openConsole({ url: server.url, key }, path('notes', `&entry=${put.body.id}`))
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Content').fill('The door code is new.')
  await page.getByRole('button', { name: 'Save version 2' }).click()
  const versions = page.getByRole('list', { name: 'Versions' })
  assert.equal(await versions.locator('ins').first().textContent(), 'new.')
  assert.equal(await versions.locator('del').first().textContent(), 'old.')
  assertQuiet(page)
})

test('an edit of a source’s statement is a statement of the key, and a reason pins it', async () => {
  const { key, call } = await server.tenant()
  const { ingest, writer, winner } = memoriesOf(call)
  await writer('crm', 80)
  await ingest('ada', 'Ada lives in Lisbon.', { service: 'crm' })
  const { id } = await winner('ada')
  await using page = await openConsole({ url: server.url, key }, path('subject:ada', `&entry=${id}`))
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Content', { exact: true }).fill('Ada lives in Porto.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Stored as superseded').waitFor()
  await page.getByLabel('Reason').fill('She said so.')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Edit the content' }).waitFor({ state: 'detached' })
  const now = await winner('ada')
  assert.deepEqual([now.content, now.provenance], ['Ada lives in Porto.', null])
  await page.waitForURL(`**/memories/${now.id}`)
  assertQuiet(page)
})

test('the past of the address is shown in the list, the memory and its links, under a banner', async () => {
  const { key, call } = await server.tenant()
  const ids: string[] = []
  for (const content of ['first', 'second', 'third']) {
    ids.push((await call('POST', '/v1/host/colophon/memory/notes/entries', { content: `the ${content} note` })).body.id)
  }
  const { position } = (await call('GET', '/v1/host/colophon/memory/notes/entries')).body
  await using page = await openConsole({ url: server.url, key }, path('notes'))
  await page.getByText('the third note').waitFor()
  const slider = page.getByRole('slider')
  await slider.focus()
  // The log-in has taken a position too.
  for (const at of [position, position - 1]) {
    await slider.press('ArrowLeft')
    await page.waitForURL(`**asOf=${at}**`)
  }
  await page.getByText('the third note').waitFor({ state: 'detached' })
  await page.getByText('the second note').waitFor()
  const banner = page.getByRole('status', { name: 'Moment' })
  await banner.getByText(/^Viewing \w{3} \d+ \w+ \d\d:\d\d$/).waitFor()
  const edit = { content: 'the second note, edited' }
  await call('PATCH', `/v1/memories/${ids[1]}`, edit)
  await page.getByRole('link', { name: /the second note/ }).click()
  const memory = page.getByRole('article')
  await memory.getByText('the second note', { exact: true }).first().waitFor()
  assert.equal(await memory.getByText('edited').count(), 0, 'the memory is shown as it was')
  assert.equal(await memory.getByRole('button', { name: 'Edit' }).count(), 0, 'the past cannot be edited')
  await page.getByRole('link', { name: /^Runs/ }).click()
  await banner.getByText('This screen shows the current state.').waitFor()
  await page.getByRole('link', { name: /^Memories/ }).click()
  await page.getByRole('button', { name: /^notes/ }).click()
  await page.getByText('the second note', { exact: true }).waitFor()
  await banner.getByRole('button', { name: 'Back to now' }).click()
  await page.getByText('the third note').waitFor()
  assertQuiet(page)
})

test('entries written by other clients appear without a reload', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'here from the start' })
  await using page = await openConsole({ url: server.url, key }, path('notes'))
  await page.getByText('here from the start').waitFor()
  await page.locator('[data-connection="open"]').waitFor()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'written while you look' })
  await page.getByText('written while you look').waitFor()
})

test('markup in a memory is shown as text', async () => {
  const { key, call } = await server.tenant()
  const content = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script><b>bold</b>'
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content })
  await using page = await openConsole({ url: server.url, key }, path('notes'))
  await page.getByText('<b>bold</b>').click()
  await page.getByRole('heading', { name: content, exact: true }).waitFor()
  assert.equal(await page.title(), 'Memory · Colophon')
  assert.equal(await page.locator('main img, main b, main script').count(), 0)
  assertQuiet(page)
})

test('tenants are isolated: after another key logs in, nothing of the first tenant is shown', async () => {
  const [one, two] = [await server.tenant(), await server.tenant()]
  await one.call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'only for the first' })
  await two.call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'only for the second' })
  await using page = await openConsole({ url: server.url, key: one.key }, path('notes'))
  await page.getByText('only for the first').waitFor()
  await page.getByRole('button', { name: 'Log out' }).click()
  await page.getByLabel('API key').fill(two.key)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByText('only for the second').waitFor()
  assert.equal(await page.getByText('only for the first').count(), 0)
})

test('a key that is revoked while it is in use ends the session with a message', async () => {
  const { call } = await server.tenant()
  const made = await call('POST', '/v1/host/colophon/keys', { name: 'guest', scopes: ['memory:read'] })
  await using page = await openConsole({ url: server.url, key: made.body.key }, '/memories')
  await page.locator('[data-connection="open"]').waitFor()
  await call('DELETE', `/v1/host/colophon/keys/${made.body.id}`)
  const notice = page.getByRole('alert').getByText('The API key was revoked. Log in with another key.')
  await notice.waitFor()
  await page.reload()
  await notice.waitFor()
  await page.getByLabel('API key').fill('not-a-key-of-this-server')
  await page.getByRole('button', { name: 'Open the console' }).click()
  await page.getByText('Unknown API key').waitFor()
  await page.getByLabel('API key').fill(made.body.key)
  await page.getByRole('button', { name: 'Open the console' }).click()
  await notice.waitFor()
})

test('a search highlights its matches, says why each was found and what was left out, and finds nothing of other refs', async () => {
  const { key, call } = await server.tenant()
  const put = (ref: string, content: string, more = {}) =>
    call('POST', `/v1/host/colophon/memory/${ref}/entries`, { content, ...more })
  await put('notes', 'The umbrella is in the hall.')
  await put('notes', 'The kettle is broken.')
  await put('notes', 'The museum has a long hall with many paintings of kings and queens.')
  await put('notes', 'The umbrella is <b>stolen</b>.', { trust: 'untrusted' })
  await put('other', 'Another umbrella, elsewhere.')
  await using page = await openConsole({ url: server.url, key }, path('notes'))
  await page.getByRole('row', { name: /kettle/ }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('umbrellas hall')
  await page.keyboard.press('Enter')
  const results = page.getByRole('list', { name: 'Results' })
  await results.locator('mark', { hasText: 'umbrella' }).waitFor()
  assert.equal(await results.getByRole('listitem').count(), 1)
  await results.getByText(/^Found by “umbrella”, “hall”: it covers much of the query/).click()
  await results.getByText(/^score$/).waitFor()
  const left = page.getByRole('region', { name: 'Left out' })
  await left.getByText('In quarantine: below the trust that this tenant reads (1)').waitFor()
  await left.getByRole('link', { name: 'The umbrella is <b>stolen</b>.' }).waitFor()
  await left.getByText('Probably not about the query (1)').waitFor()
  await left.getByRole('link', { name: /^The museum has a long hall/ }).waitFor()
  await left.getByRole('button', { name: 'Show results of every relevance' }).click()
  await results.getByText('The museum has a long').waitFor()
  assertQuiet(page)
})

test('memories open on everything: filters combine, and a bulk deletion asks first', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'evt-1', text: 'Ada prefers the dark theme.' })
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'The kettle is broken.', tags: ['house'] })
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: '<b>gin</b>', trust: 'untrusted' })
  await using page = await openConsole({ url: server.url, key }, '/memories')
  const rows = page.getByRole('table', { name: 'Memories' }).locator('tbody tr')
  await rows.nth(2).waitFor()
  await page.getByText('Subjects · 1 with 1 entry').waitFor()
  await page.getByLabel('trust').selectOption('untrusted')
  await rows.filter({ hasText: '<b>gin</b>' }).waitFor()
  assert.equal(await rows.count(), 1)
  await page.getByLabel('Writer').fill('chat')
  await page.keyboard.press('Enter')
  await page.getByText('No memory matches.').waitFor()
  await page.getByRole('button', { name: 'Remove the filter trust untrusted' }).click()
  await rows.filter({ hasText: 'dark theme' }).waitFor()
  await page.getByRole('button', { name: 'Remove the filter writer chat' }).click()
  await rows.nth(2).waitFor()
  await page.getByRole('button', { name: 'Memory' }).click()
  assert.match((await rows.first().textContent()) ?? '', /gin/)
  await page.getByLabel('Select The kettle is broken.').check()
  await page.getByRole('button', { name: 'Delete …' }).click()
  await page.getByRole('button', { name: 'Delete 1 memory' }).click()
  await rows.filter({ hasText: 'kettle' }).waitFor({ state: 'detached' })
  // One ref is the same table, with the same filters.
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'Green tea.', tags: ['house'] })
  await page.getByRole('button', { name: /^notes/ }).click()
  await rows.filter({ hasText: 'Green tea.' }).waitFor()
  assert.equal(await rows.count(), 2)
  await page.getByLabel('Tag').fill('house')
  await page.keyboard.press('Enter')
  await rows.filter({ hasText: 'gin' }).waitFor({ state: 'detached' })
  await page.getByLabel('trust').selectOption('untrusted')
  await page.getByText('No memory matches.').waitFor()
  await page.getByRole('button', { name: 'Remove the filter tag house' }).click()
  await page.getByLabel(/^Select <b>gin/).check()
  await page.getByRole('button', { name: 'Delete …' }).click()
  await page.getByRole('button', { name: 'Delete 1 memory' }).click()
  await page.getByText('No memory matches.').waitFor()
  await page.getByRole('button', { name: 'Remove the filter trust untrusted' }).click()
  await rows.filter({ hasText: 'Green tea.' }).waitFor()
  assertQuiet(page)
})

test('Ctrl K finds a memory by its words and opens it, by keyboard only', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'The umbrella is in the hall.' })
  await using page = await openConsole({ url: server.url, key })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('hall umbre')
  await page.getByRole('option', { name: /The umbrella is in the hall/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'The umbrella is in the hall.' }).waitFor()
  assertQuiet(page)
})

test('ten writes of others cost at most three requests, and their rows appear', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'here from the start' })
  await using page = await openConsole({ url: server.url, key }, '/memories')
  await page.getByText('here from the start').waitFor()
  await page.locator('[data-connection="open"]').waitFor()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'the first change' })
  // After that nothing of the start is under way any more.
  await page.getByText('Other refs · 1 with 2 entries').waitFor()
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  const put = (nth: number) => call('POST', '/v1/host/colophon/memory/other/entries', { content: `write ${nth}` })
  await Promise.all(Array.from({ length: 10 }, (_, nth) => put(nth)))
  for (let nth = 0; nth < 10; nth++) await page.getByText(`write ${nth}`).waitFor()
  await page.getByText('Other refs · 2 with 12 entries').waitFor()
  assert.ok(requests.length <= 3, requests.join('\n'))
  assertQuiet(page)
})

test('the view can be copied as curl, command and TypeScript, and ? lists the keys', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'tea' })
  await using page = await openConsole({ url: server.url, key }, "/memories?q=te'a")
  await page.getByText('No memory matches.').waitFor()
  await page.getByRole('button', { name: 'Copy as …' }).first().click()
  const text = page.getByRole('dialog').locator('pre')
  await text.getByText('curl -X POST').waitFor()
  assert.match((await text.textContent()) ?? '', /te'\\''a/)
  assert.ok(!((await text.textContent()) ?? '').includes(key), 'the key is not part of it')
  await page.getByRole('tab', { name: 'Command line' }).click()
  await text.getByText(`find 'te'\\''a'`).waitFor()
  await page.getByRole('tab', { name: 'TypeScript' }).click()
  await text.getByText(`await client.memory.searchAll("te'a"`).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('next and previous item of the inbox').waitFor()
  assertQuiet(page)
})

test('two moments are compared: added, changed word by word, and gone', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  const put = async (content: string) => (await call('POST', entries, { content })).body.id as string
  const [code, old] = [await put('The door code is 1234.'), await put('The kettle <b>works</b>.')]
  const { position } = (await call('GET', entries)).body
  await call('PATCH', `${entries}/${code}`, { content: 'The door code is 9876.' })
  await call('DELETE', `${entries}/${old}`)
  await put('The umbrella is in the hall.')
  await using page = await openConsole({ url: server.url, key }, `/compare?from=${position}&ref=notes`)
  await page.getByText('1 added, 1 changed, 1 superseded or erased, 0 the same.').waitFor()
  assert.equal(await page.getByRole('list', { name: 'Changed' }).locator('ins').textContent(), '9876.')
  const gone = page.getByRole('list', { name: 'Superseded or erased' })
  await gone.getByText('The kettle <b>works</b>.').waitFor()
  await gone.getByText('deleted or erased').waitFor()
  await page.goto(`${server.url}/console/`)
  const clicks = countClicks()
  await clicks.on(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Memories' }))
  await clicks.on(page.getByRole('link', { name: 'Compare two moments' }))
  await clicks.on(page.getByRole('button', { name: 'Since last Tuesday' }))
  await page.getByText('2 added, 0 changed, 0 superseded or erased, 0 the same.').waitFor()
  assert.equal(clicks.count, 3)
  assertQuiet(page)
})
