import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chain, ended, gate, register, startRun, until } from '../server/runs-calls.ts'
import { useServer } from '../support/server.ts'
import { assertQuiet, countClicks, countKeys, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('authority preview and apply: two sliders, and one click stores both', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 40)
  await addWriter(call, 'crm', 80)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes <b>dark</b>.' })
  await ingest(call, 'ada', { service: 'crm', event: 'e2', text: 'Ada likes light.' })
  await using page = await openConsole({ url: server.url, key }, '/')
  const clicks = countClicks()
  await clicks.on(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: /^Sources/ }))
  await clicks.on(page.getByRole('tab', { name: 'Simulator' }))
  await page.getByRole('slider', { name: 'Priority of chat' }).fill('90')
  await page.getByRole('slider', { name: 'Priority of crm' }).fill('20')
  await page
    .getByRole('list', { name: 'Other winners' })
    .getByText('Before: “Ada likes light.” (crm 80)After: “Ada likes <b>dark</b>.” (chat 90)')
    .waitFor()
  await page.locator('[aria-busy="false"]').waitFor()
  const counters = page.getByLabel('Counters').locator('dd')
  assert.deepEqual(await counters.allTextContents(), ['1', '0', '0'])
  await page.getByRole('slider', { name: 'Priority of crm' }).fill('90')
  await page
    .getByRole('list', { name: 'Contested' })
    .getByText(/^A tie: /)
    .waitFor()
  await page.getByRole('slider', { name: 'Priority of crm' }).fill('20')
  await page.getByRole('list', { name: 'Other winners' }).waitFor()
  await clicks.on(page.getByRole('button', { name: 'Apply to 2 writers in one commit' }))
  await page.getByText('Applied to 2 writers. Claims with another winner: 1, contested: 0.').waitFor()
  assert.equal(clicks.count, 3)
  const { data } = (await call('GET', '/v1/tenant/service-writers')).body
  type Shown = { authority_rules: { default_priority: number } }
  assert.deepEqual(
    data.map(({ authority_rules }: Shown) => authority_rules.default_priority),
    [90, 20],
  )
  await page
    .getByRole('navigation', { name: 'Screens' })
    .getByRole('link', { name: /^Memories/ })
    .click()
  await page.getByRole('link', { name: 'Ada likes <b>dark</b>.' }).waitFor()
  await page.goto(`${server.url}/console/sources?tab=simulator`)
  await page.getByRole('slider', { name: 'Priority of chat' }).fill('10')
  await page.locator('[aria-busy="false"]').waitFor()
  await page.getByRole('button', { name: 'Apply to 1 writer in one commit' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Nothing is changed yet.').waitFor()
  assert.equal(await page.getByRole('slider', { name: 'Priority of chat' }).inputValue(), '90')
  assertQuiet(page)
})

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
  await using page = await openConsole({ url: server.url, key }, '/claims')
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
  await page.getByRole('row', { name: /dark theme.*chat/ }).waitFor()
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
  await using page = await openConsole({ url: server.url, key }, '/claims?show=quarantine')
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

test('the inbox is worked through by keyboard only', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 50)
  for (const [service, text, at] of [
    ['chat', 'Ada likes the <b>dark</b> theme.', '2026-01-01T00:00:00Z'],
    ['crm', 'Ada likes the light theme.', '2026-01-02T00:00:00Z'],
  ] as const)
    await ingest(call, 'ada', { service, event: `evt-${service}`, text, at })
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'Ada prefers gin.', trust: 'untrusted' })
  await register(call, chain('refund', [gate('approve', { title: 'Refund {{inputs.amount}} EUR?' })]))
  const runId = await startRun(call, 'refund', { inputs: { amount: '40' } })
  await until(call, runId, 'waits', (run) => run.status === 'waiting-approval')
  await using page = await openConsole({ url: server.url, key })
  const keys = await countKeys(page)
  await keys.press('g', 'i')
  await page.getByText('3 to decide').waitFor()
  const claim = page.getByRole('article', { name: 'ada: ui.theme' })
  await claim.getByText('crm (50) and chat (50) have the same priority').waitFor()
  await keys.press('2')
  await keys.type('She said so on the phone.')
  await keys.press('Enter')
  await page.getByText('Pinned: “Ada likes the <b>dark</b> theme.”').waitFor()
  assert.equal(keys.count, 5, 'g, i, 2, the reason, Enter')
  // The next one is chosen: the approval, with its text filled in.
  await page.locator('[data-chosen="true"]').getByText('Refund 40 EUR?').waitFor()
  await keys.press('1')
  await ended(call, runId)
  await page.locator('[data-chosen="true"]').getByText('Ada prefers gin.').waitFor()
  await keys.press('1')
  await keys.type('Ada confirmed it.')
  await keys.press('Enter')
  await page.getByText('Nothing to decide.').waitFor()
  assert.deepEqual([keys.count, await keys.clicks()], [9, 0], 'three decisions, without the pointer')
  const pinned = await call('POST', '/v1/host/colophon/search', { query: 'ada theme' })
  assert.equal(pinned.body.claims[0].status, 'pinned')
  assertQuiet(page)
})

test('the questions of a run are answered in the inbox, which its page links to', async () => {
  const { key, call } = await server.tenant()
  const questions = [
    { id: 'q1', question: 'Which <b>colour</b>?' },
    { id: 'q2', question: 'Why?' },
  ]
  const asks = { id: 'ask', typeId: 'core.clarificationGate', config: { questions, into: 'answer' } }
  await register(call, chain('asks', [asks]))
  const runId = await startRun(call, 'asks')
  await until(call, runId, 'waits', (run) => run.status === 'waiting-input')
  await using page = await openConsole({ url: server.url, key }, `/runs/${runId}`)
  const clicks = countClicks()
  await clicks.on(page.getByRole('link', { name: 'Answer it in the inbox' }))
  await page.getByLabel('Which <b>colour</b>?').fill('blue')
  await page.getByLabel('Why?').fill('It is calm.')
  await clicks.on(page.getByRole('button', { name: 'Answer' }))
  await page.getByText('Nothing to decide.').waitFor()
  const run = await ended(call, runId)
  assert.equal(run.status, 'completed')
  assert.equal(clicks.count, 2)
  assertQuiet(page)
})

test('a decision of the inbox is undone with one click', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await addWriter(call, 'crm', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'ada', { service: 'crm', event: 'e2', text: 'Ada likes the light theme.' })
  await using page = await openConsole({ url: server.url, key }, '/inbox')
  await page.getByRole('button', { name: /Ada likes the dark theme/ }).click()
  await page.getByLabel(/Reason/).fill('By mistake.')
  await page.getByRole('button', { name: 'Decide' }).click()
  await page.getByText('Nothing to decide.').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('1 to decide').waitFor()
  assertQuiet(page)
})
