import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/child.ts'
import { type ModelReply, says, startModelStandIn } from '../support/model-stand-in.ts'
import { startServer, useServer } from '../support/server.ts'
import { assertQuiet, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('a ref is compacted after a preview, and the compaction is undone', async () => {
  const { key, call } = await server.tenant()
  const entries = ['Ada came by on Monday.', 'Ada came by on Tuesday.', 'Ada wants tea.'].map((content) => ({
    content,
  }))
  await call('POST', '/v1/host/colophon/memory/log/entries:batch', { entries })
  await using page = await openConsole({ url: server.url, key }, '/time')
  await page.getByRole('button', { name: 'Compact a ref' }).click()
  await page.getByLabel('Memory ref').fill('log')
  await page.getByRole('button', { name: 'Preview compaction' }).click()
  await page.getByText('3 entries would become 1.').waitFor()
  await page.getByRole('button', { name: 'Compact', exact: true }).click()
  await page.getByRole('button', { name: /completed\s*log/ }).click()
  assert.equal((await call('GET', '/v1/host/colophon/memory/log/entries')).body.entries.length, 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByText('undone').waitFor()
  assert.equal((await call('GET', '/v1/host/colophon/memory/log/entries')).body.entries.length, 3)
  assertQuiet(page)
})

test('what a consolidation merged is shown with its reason, and hostile text as text', async () => {
  const { key, call } = await server.tenant()
  const entries = ['<b>Ada</b> wants tea.', '<b>ADA</b> wants tea!'].map((content) => ({ content }))
  await call('POST', '/v1/host/colophon/memory/log/entries:batch', { entries })
  await call('POST', '/v1/host/colophon/consolidations', { memoryRef: 'log' })
  await using page = await openConsole({ url: server.url, key }, '/time')
  await page.getByRole('button', { name: /completed\s*log.*duplicate/ }).click()
  await page.getByText('They have the same words.').waitFor()
  await page.getByText('<b>ADA</b> wants tea!').waitFor()
  assert.equal((await call('GET', '/v1/host/colophon/memory/log/entries')).body.entries.length, 1)
  assertQuiet(page)
})

test('a distillation shows its archive, sources and tokens, hostile text as text, and is undone', async () => {
  const { key, call } = await server.tenant()
  const hostile = '<img src=x onerror=alert(1)> wants tea.'
  const put = await call('POST', '/v1/host/colophon/memory/log/entries', { content: hostile })
  const { id } = (await call('POST', '/v1/host/colophon/distillations', { memoryRef: 'log', tokenBudget: 500 })).body
  await using page = await openConsole({ url: server.url, key }, '/time?tab=distillations')
  await page.getByRole('button', { name: /completed\s*log.* of 500 tokens/ }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText(/^\d+ tokens used of a budget of 500/).waitFor()
  await drawer.getByText('onerror=alert(1)').waitFor()
  await drawer.getByRole('link', { name: `Open ${put.body.id}` }).waitFor()
  await drawer.getByRole('button', { name: 'Undo' }).click()
  await drawer.getByText('undone').waitFor()
  assert.equal((await call('GET', `/v1/host/colophon/distillations/${id}`)).body.status, 'undone')
  assertQuiet(page)
})

test('a schedule is paused, resumed and run now', async () => {
  const { key, call } = await server.tenant()
  const draft = { id: 'nightly', cron: '0 2 * * *', kind: 'colophon.re-redact' }
  const made = await call('POST', '/v1/host/colophon/schedules', draft)
  assert.ok(made.status < 300, made.text)
  await using page = await openConsole({ url: server.url, key }, '/time?tab=schedules')
  const row = page.getByRole('row', { name: /nightly/ })
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByRole('button', { name: 'Pause' }).waitFor()
  await row.getByRole('button', { name: 'Run now' }).click()
  assertQuiet(page)
})

test('commitments show what waits and from which entry, with hostile text as text', async () => {
  const { key, call } = await server.tenant()
  const content = 'Remind me tomorrow to greet <img src=x onerror=alert(1)>.'
  const { id } = (await call('POST', '/v1/host/colophon/memory/log/entries', { content })).body
  await using page = await openConsole({ url: server.url, key }, '/time?tab=commitments')
  const row = page.getByRole('row', { name: /onerror=alert/ })
  await row.getByText('waiting').waitFor()
  await row.getByText(id).waitFor()
  assertQuiet(page)
})

test('heartbeats show what they observe and their ticks, with hostile text as text', async () => {
  const { key, call } = await server.tenant()
  const draft = { predicate: 'count', memoryRef: 'log', tag: '<img src=x onerror=alert(1)>', intervalSec: 3_600 }
  assert.equal((await call('POST', '/v1/host/colophon/heartbeats', draft)).status, 201)
  await using page = await openConsole({ url: server.url, key }, '/time?tab=heartbeats')
  const row = page.getByRole('row', { name: /onerror=alert/ })
  await row.getByText('3600 s').waitFor()
  assertQuiet(page)
})

test('retention times are shown and changed', async () => {
  const { key, call } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/time?tab=retention')
  await page.getByLabel(/Days to keep payloads/).fill('7')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  assert.equal((await call('GET', '/v1/tenant/settings')).body.extraction_payload_retention_days, 7)
  assertQuiet(page)
})

test('a dead letter is found and retried', async () => {
  const broken: ModelReply = (response) => response.writeHead(400).end('{}')
  let isMended = false
  const answer = says({ memories: [] })
  await using model = await startModelStandIn((response, call) => (isMended ? answer : broken)(response, call))
  const env = { COLOPHON_LLM_URL: model.url, COLOPHON_LLM_MODEL: 'stand-in' }
  await using own = await startServer({ env })
  const messages = [{ role: 'user', content: 'I prefer tea in the morning.' }]
  const added = await own.call('POST', '/v1/memories/add', { external_user_id: 'ada', messages })
  await eventually('the job is dead', async () => {
    const job = await own.call('GET', `/v1/memories/jobs/${added.body.job_id}`)
    return job.body.status === 'dead'
  })
  await using page = await openConsole(own, '/inbox')
  const letter = page.getByRole('article', { name: 'Extracting memories from a source event' })
  await letter.getByText(/3 of 3 attempts failed/).waitFor()
  isMended = true
  await page.getByRole('button', { name: 'Retry all 1 dead job' }).click()
  await page.getByText('1 job queued again.').waitFor()
  await page.goto(`${own.url}/console/time?tab=jobs&status=completed`)
  await page
    .getByRole('listitem')
    .filter({ hasText: added.body.job_id.slice(-11) })
    .getByText('completed')
    .waitFor()
  assertQuiet(page)
})

test('an unknown name needs a confirmation, and other entries that name a subject are erased only when checked', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  await call('POST', entries, { content: 'I like tea.', subject: 'ada' })
  await call('POST', entries, { content: 'Bob met Ada.', subject: 'bob' })
  await using page = await openConsole({ url: server.url, key }, '/time?tab=forgetting')
  await page
    .getByRole('button', { name: /^Erase/ })
    .first()
    .click()
  await page.getByLabel('Which').fill('adda')
  await page.getByLabel(/^Reason/).fill('on request')
  await page.getByRole('button', { name: 'Preview erasure' }).click()
  await page.getByText('Nothing matches this name').waitFor()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByRole('button', { name: 'Erase anyway' }).waitFor()
  assert.deepEqual((await call('GET', '/v1/host/colophon/forget')).body.forgets, [], 'asked again, not done')
  await page.getByLabel('Which').fill('ada')
  await page.getByRole('button', { name: 'Preview erasure' }).click()
  await page.getByLabel(/Also erase the 1 other/).check()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  await page.getByRole('region', { name: 'Receipt' }).getByText('Ed25519').waitFor()
  assert.equal((await call('GET', entries)).body.entries.length, 0)
  assertQuiet(page)
})

test('a subject is forgotten after a preview, and the receipt shows what is left', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'bob', { service: 'chat', event: 'e2', text: 'Bob likes the light theme.' })
  await using page = await openConsole({ url: server.url, key }, '/memories?ref=subject:ada')
  await page.getByRole('link', { name: /Ada likes the dark theme/ }).click()
  await page.getByRole('button', { name: 'Erase the subject' }).click()
  await page.getByLabel(/^Reason/).fill('She asked for it.')
  await page.getByRole('button', { name: 'Preview erasure' }).click()
  await page.getByRole('table', { name: 'Rows that would be erased' }).waitFor()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.getByText('Ed25519').waitFor()
  await receipt.getByRole('table', { name: 'Left after the erasure (checked)' }).getByText('none').waitFor()
  assert.equal((await call('GET', '/v1/memories?external_user_id=ada')).body.data.length, 0)
  assert.equal((await call('GET', '/v1/memories?external_user_id=bob')).body.data.length, 1)
  assertQuiet(page)
})
