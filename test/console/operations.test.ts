import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoriesOf } from '../server/memories-calls.ts'
import { chain, noop, register } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { runCli } from '../support/cli.ts'
import { type ModelReply, says, startModelStandIn } from '../support/model-stand-in.ts'
import { startServer, useServer } from '../support/server.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { assertQuiet, countClicks, openConsole } from './console.ts'
import { addWriter, ingest } from './story.ts'

const server = useServer()

test('operations are in groups that a keyboard and a narrow screen open, and each tab keeps its address', async () => {
  const { key } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/operations', {
    viewport: { width: 390, height: 800 },
  })
  const selected = (list: string) => page.getByRole('tablist', { name: list }).getByRole('tab', { selected: true })
  await selected('Work').getByText('Jobs').waitFor()
  await selected('Groups').focus()
  for (const [group, tab] of [
    ['Memory care', 'Compactions'],
    ['Connections', 'Webhooks'],
    ['Agents & workflows', 'Agents'],
  ] as const) {
    await page.keyboard.press('ArrowRight')
    await selected(group).getByText(tab, { exact: true }).waitFor()
  }
  // First to the panel of the group, then to the tabs in it.
  for (const key of ['Tab', 'Tab', 'ArrowRight']) await page.keyboard.press(key)
  await page.waitForURL('**/operations?tab=workflows')
  await page.goto(`${server.url}/console/operations?tab=portable`)
  await selected('Groups').getByText('Connections').waitFor()
  await selected('Connections').getByText('Export and import').waitFor()
  for (const shown of [selected('Groups'), selected('Connections')]) {
    const box = await shown.boundingBox()
    assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 390, 'an open tab is out of view')
  }
  await page.goto(`${server.url}/console/operations?tab=unknown`)
  await selected('Work').getByText('Jobs').waitFor()
  assertQuiet(page)
})

test('a ref is compacted after a preview, and the compaction is undone', async () => {
  const { key, call } = await server.tenant()
  const entries = ['Ada came by on Monday.', 'Ada came by on Tuesday.', 'Ada wants tea.'].map((content) => ({
    content,
  }))
  await call('POST', '/v1/host/colophon/memory/log/entries:batch', { entries })
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=compactions')
  await page.getByRole('button', { name: 'Compact a ref' }).click()
  await page.getByLabel('Memory ref').fill('log')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Would compact 3 entries into 1.').waitFor()
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
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=compactions')
  await page.getByRole('button', { name: 'Consolidate a ref' }).click()
  await page.getByLabel('Memory ref').fill('log')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('Would merge 2 entries into 1.').waitFor()
  assert.equal((await call('GET', '/v1/host/colophon/memory/log/entries')).body.entries.length, 2)
  await page.getByRole('button', { name: 'Consolidate', exact: true }).click()
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
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=distillations')
  await page.getByRole('button', { name: 'Distill a ref' }).click()
  await page.getByLabel('Memory ref').fill('log')
  await page.getByLabel('Token budget').fill('1')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText(/^The budget is too small: it must be at least \d+\.$/).waitFor()
  await page.getByLabel('Token budget').fill('500')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText(/^Would distill 1 entry of \d+ tokens into one archive of at most 500\.$/).waitFor()
  await page.getByRole('button', { name: 'Distill', exact: true }).click()
  await page.getByRole('button', { name: /completed\s*log.* of 500 tokens/ }).click()
  const drawer = page.getByRole('dialog')
  await drawer.getByText(/^\d+ tokens used of a budget of 500/).waitFor()
  await drawer.getByText('onerror=alert(1)').waitFor()
  await drawer.getByRole('link', { name: `Open ${put.body.id}` }).waitFor()
  await drawer.getByRole('button', { name: 'Undo' }).click()
  await drawer.getByText('undone').waitFor()
  const [made] = (await call('GET', '/v1/host/colophon/distillations')).body.distillations
  assert.equal(made.status, 'undone')
  assertQuiet(page)
})

test('a schedule is paused, resumed and run now', async () => {
  const { key, call } = await server.tenant()
  const draft = { id: 'nightly', cron: '0 2 * * *', kind: 'colophon.re-redact' }
  const made = await call('POST', '/v1/host/colophon/schedules', draft)
  await register(call, chain('greets', [noop()]))
  await call('POST', '/v1/host/colophon/schedules', { id: 'briefing', cron: '0 9 * * 1', workflowId: 'greets' })
  assert.ok(made.status < 300, made.text)
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=schedules')
  const row = page.getByRole('row', { name: /nightly/ })
  await row.getByRole('button', { name: 'Pause' }).click()
  await row.getByRole('button', { name: 'Resume' }).click()
  await row.getByRole('button', { name: 'Pause' }).waitFor()
  const entries = '/v1/host/colophon/memory/log/entries'
  const stored = async () => (await call('GET', entries)).body.entries[0].content
  await call('POST', entries, { content: 'Ada wrote TCK-123456.' })
  await call('PUT', '/v1/host/colophon/rules/ticket', { pattern: 'TCK-[0-9]{6}' })
  await row.getByRole('button', { name: 'Dry run' }).click()
  await page.getByText('Dry run of nightly: would redact 1 of 1 text. Nothing was stored.').waitFor()
  assert.match(await stored(), /TCK-123456/)
  await page
    .getByRole('row', { name: /^expiry-sweep/ })
    .getByRole('button', { name: 'Dry run' })
    .click()
  await page.getByText('Dry run of expiry-sweep: would end nothing. Nothing was stored.').waitFor()
  await page
    .getByRole('row', { name: /^briefing/ })
    .getByText('no dry run')
    .waitFor()
  await row.getByRole('button', { name: 'Run now' }).click()
  await page.getByText(/^Run of nightly: completed: 1 scanned, 1 changed/).waitFor()
  assert.doesNotMatch(await stored(), /TCK/)
  assertQuiet(page)
})

test('webhooks, workflows, agents, vectors, tenants, export and import are shown and done, hostile text as text', async () => {
  const hostile = '<img src=x onerror=alert(1)>'
  const { key, call } = await server.tenant()
  const { call: other, key: otherKey } = await server.tenant()
  await register(call, { ...chain('greets', [noop('first'), noop('second')]), name: `${hostile} greets` })
  const agent = await call('POST', '/v1/host/colophon/agents', {
    agentId: 'local.team.concierge',
    persona: hostile,
    label: hostile,
    modelClass: 'general',
    systemPrompt: 'You welcome visitors.',
    memoryShape: { longTerm: true },
    requiresCapabilities: ['telepathy'],
  })
  assert.ok(agent.status < 300, agent.text)
  await call('POST', '/v1/host/colophon/memory/log/entries', { content: 'Ada wants tea.' })
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=webhooks')
  const open = (name: string) => page.getByRole('tab', { name, exact: true }).click()

  await page.getByRole('button', { name: 'New webhook' }).click()
  await page.getByLabel('URL').fill('https://hooks.example.com/colophon')
  await page.getByLabel('Tags').fill(hostile.replaceAll(' ', '-'))
  await page.getByLabel('Your API key').fill(key)
  await page.getByRole('button', { name: 'Register the webhook' }).click()
  await page.getByRole('dialog').getByText('It is not shown again').waitFor()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const row = page.getByRole('row', { name: /run\.completed, run\.failed of runs with the tag <img-src/ })
  await row.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('button', { name: 'Remove webhook' }).click()
  await page.getByText('No webhooks.').waitFor()

  await open('Memory care')
  await open('Embeddings')
  await page.getByText('This server has no embedder').waitFor()
  await open('Agents & workflows')
  await open('Workflows')
  await page.getByRole('link', { name: `${hostile} greets` }).click()
  await page.getByRole('region', { name: 'Nodes: first core.noop, second core.noop' }).getByText('second').waitFor()
  await open('Agents')
  await page.getByRole('row', { name: /onerror=alert.*longTerm.*telepathy/ }).waitFor()

  await open('Connections')
  await open('Export and import')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the export' }).click(),
  ])
  const file = createFolder().file(download.suggestedFilename())
  await download.saveAs(file)
  await open('Tenants')
  await page.getByLabel('Operator key').fill(otherKey)
  await page.getByRole('button', { name: 'Show the tenants' }).click()
  await page.getByText('This path needs the operator key.').waitFor()
  await page.getByRole('button', { name: 'Forget the operator key' }).click()
  await page.getByLabel('Operator key').fill(server.operatorKey)
  await page.getByRole('button', { name: 'Show the tenants' }).click()
  await page.getByRole('table', { name: 'Tenants' }).getByText('active').first().waitFor()
  assertQuiet(page)

  await page.getByLabel('New tenant').fill('not a tenant id')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('alert').getByText('tenant').first().waitFor()
  const made = `team-${crypto.randomUUID()}`
  await page.getByLabel('New tenant').fill(made)
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const shown = page.getByRole('dialog', { name: `The first key of ${made}` })
  const firstKey = (await shown.getByText(/^ck_/).textContent()) ?? ''
  await shown.getByRole('button', { name: 'I saved it' }).click()
  const status = async () => (await server.as(firstKey)('GET', '/v1/host/colophon/session')).status
  assert.equal(await status(), 200)
  const tenantRow = page.getByRole('row', { name: new RegExp(made) })
  await tenantRow.getByRole('button', { name: 'Disable' }).click()
  await page.getByRole('button', { name: `Disable ${made}` }).click()
  await tenantRow.getByText('disabled').waitFor()
  assert.equal(await status(), 401)
  await tenantRow.getByRole('button', { name: 'Enable' }).click()
  await tenantRow.getByText('active').waitFor()
  assert.equal(await status(), 200)
  assertQuiet(page)

  await using there = await openConsole({ url: server.url, key: otherKey }, '/operations?tab=portable')
  await there.getByLabel('File').setInputFiles(file)
  await there.getByRole('button', { name: 'Import', exact: true }).click()
  await there.getByText('This server signed the file.').waitFor()
  const [entry] = (await other('GET', '/v1/host/colophon/memory/log/entries')).body.entries
  assert.equal(entry.content, 'Ada wants tea.')
  assertQuiet(there)
})

test('commitments show what waits and from which entry, with hostile text as text', async () => {
  const { key, call } = await server.tenant()
  const content = 'Remind me tomorrow to greet <img src=x onerror=alert(1)>.'
  const { id } = (await call('POST', '/v1/host/colophon/memory/log/entries', { content })).body
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=commitments')
  const row = page.getByRole('row', { name: /onerror=alert/ })
  await row.getByText('waiting').waitFor()
  await row.getByText(id).waitFor()
  assertQuiet(page)
})

test('heartbeats show what they observe and their ticks, with hostile text as text', async () => {
  const { key, call } = await server.tenant()
  const draft = { predicate: 'count', memoryRef: 'log', tag: '<img src=x onerror=alert(1)>', intervalSec: 3_600 }
  assert.equal((await call('POST', '/v1/host/colophon/heartbeats', draft)).status, 201)
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=heartbeats')
  const row = page.getByRole('row', { name: /onerror=alert/ })
  await row.getByText('3600 s').waitFor()
  assertQuiet(page)
})

test('retention times are shown and changed', async () => {
  const { key, call } = await server.tenant()
  await using page = await openConsole({ url: server.url, key }, '/operations?tab=retention')
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
  await using page = await openConsole(own)
  const clicks = countClicks()
  await clicks.on(page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Inbox' }))
  const letter = page.getByRole('article', { name: 'Extracting memories from a source event' })
  await letter.getByText(/3 of 3 attempts failed/).waitFor()
  isMended = true
  await clicks.on(page.getByRole('button', { name: 'Retry all 1 dead job' }))
  await page.getByText('1 job queued again.').waitFor()
  assert.equal(clicks.count, 2)
  await page.goto(`${own.url}/console/operations?tab=jobs&status=completed`)
  await page
    .getByRole('listitem')
    .filter({ hasText: added.body.job_id.slice(-11) })
    .getByText('completed')
    .waitFor()
  await page.goto(`${own.url}/console/operations?tab=jobs&job=${added.body.job_id}`)
  await page.getByRole('heading', { name: 'Job', exact: true }).waitFor()
  await page.getByText('completed', { exact: true }).waitFor()
  await page.getByText('Nothing to remember was found in the messages.').waitFor()
  await page.getByRole('tab', { name: 'Schedules', exact: true }).click()
  await page.waitForURL('**/operations?tab=schedules')
  await page.goBack()
  await page.getByRole('button', { name: 'All jobs' }).click()
  await page.getByRole('heading', { name: 'Jobs', exact: true }).waitFor()
  assertQuiet(page)
})

test('a name that nothing matches is refused, names are completed, and other texts that mention it are listed', async () => {
  const { key, call } = await server.tenant()
  const entries = '/v1/host/colophon/memory/notes/entries'
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'I like tea.' })
  await call('POST', entries, { content: '<b>Bob</b> met Ada.', subject: 'bob' })
  await using page = await openConsole({ url: server.url, key }, '/privacy')
  await page
    .getByRole('button', { name: /^Erase/ })
    .first()
    .click()
  const erase = page.getByRole('button', { name: 'Erase', exact: true })
  await page.getByLabel(/^Reason/).fill('on request')
  await page.getByLabel('Which').fill('ad')
  await page.locator('datalist option[value="ada"]').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Preview erasure' }).click()
  await page.getByText('Nothing matches this name').waitFor()
  assert.ok(await erase.isDisabled())
  await page.getByLabel('Which').fill('ada')
  await page.getByRole('button', { name: 'Preview erasure' }).click()
  await page.getByRole('row', { name: 'memories 1', exact: true }).waitFor()
  await page.getByRole('region', { name: 'Other texts that mention it' }).getByText('<b>Bob</b> met Ada.').waitFor()
  await page.getByLabel('Also erase the 1 other memory whose text has this name').check()
  await erase.click()
  await page.getByRole('region', { name: 'Receipt' }).getByText('Verified in this page').waitFor()
  assert.equal((await call('GET', entries)).body.entries.length, 0)
  assertQuiet(page)
})

test('a subject is forgotten in three clicks, and the receipt is verified in the page and by the printed command', async () => {
  const { key, call } = await server.tenant()
  await addWriter(call, 'chat', 50)
  await ingest(call, 'ada', { service: 'chat', event: 'e1', text: 'Ada likes the dark theme.' })
  await ingest(call, 'bob', { service: 'chat', event: 'e2', text: 'Bob likes the light theme.' })
  const [{ id }] = (await call('GET', '/v1/memories?external_user_id=ada')).body.data
  await using other = await openConsole({ url: server.url, key }, '/memories?ref=subject:ada')
  await other.getByText('Ada likes the dark theme.').first().waitFor()
  await other.locator('[data-connection="open"]').waitFor()
  await using page = await openConsole({ url: server.url, key }, `/memories/${id}`)
  const clicks = countClicks()
  await clicks.on(page.getByRole('button', { name: 'Erase the subject' }))
  await page.getByLabel(/^Reason/).fill('She asked for it.')
  await clicks.on(page.getByRole('button', { name: 'Preview erasure' }))
  await page.getByRole('table', { name: 'Rows that would be erased' }).waitFor()
  await clicks.on(page.getByRole('button', { name: 'Erase', exact: true }))
  const receipt = page.getByRole('region', { name: 'Receipt' })
  await receipt.getByText('Verified in this page').waitFor()
  assert.equal(clicks.count, 3)
  // Another tab stops showing it without a reload.
  await other.getByText('Ada likes the dark theme.').waitFor({ state: 'detached' })
  await receipt.getByRole('table', { name: 'Left after the erasure (checked)' }).getByText('none').waitFor()
  assert.equal((await call('GET', '/v1/memories?external_user_id=ada')).body.data.length, 0)
  assert.equal((await call('GET', '/v1/memories?external_user_id=bob')).body.data.length, 1)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    receipt.getByRole('button', { name: 'Save the receipt' }).click(),
  ])
  const folder = createFolder()
  await download.saveAs(folder.file(download.suggestedFilename()))
  const [, ...words] = ((await receipt.locator('code').last().textContent()) ?? '').split(' ')
  assert.ok(words.includes(download.suggestedFilename()), 'the command names the file that was saved')
  const verified = await runCli(words.map((word) => (word.endsWith('.json') ? folder.file(word) : word)))
  assert.match(verified.stdout, /signed by this host, everything erased/, verified.stderr)

  await page.emulateMedia({ media: 'print' })
  const paper = page.locator('article.certificate')
  await paper.waitFor()
  const printed = (await paper.textContent()) ?? ''
  assert.match(printed, /Certificate of erasure.*everything about one person.*verified in the browser/)
  // As a word: digests and keys can have its letters by chance.
  assert.doesNotMatch(printed, /\bada\b|dark theme/i)
  assert.equal(await page.locator('#content').isVisible(), false, 'only the certificate is printed')
  assertQuiet(page)
})

test('a receipt that was changed, or that another key signed, is not shown as verified', async () => {
  const { key, call } = await server.tenant()
  await call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'Tea.' })
  const { id } = (await call('POST', '/v1/host/colophon/forget', { memoryRef: 'notes', reason: 'old' })).body
  await using page = await openConsole({ url: server.url, key }, '/')
  const path = `/v1/host/colophon/forget/${id}`
  await eventually('it is erased', async () => (await call('GET', path)).body.status === 'completed')
  const { body } = await call('GET', path)
  const show = async (receipt: object) => {
    await page.route(`**${path}`, (route) => route.fulfill({ json: { ...body, receipt } }))
    await page.goto(`${server.url}/console/privacy?forget=${id}`)
    return page.getByRole('region', { name: 'Receipt' }).getByRole('alert').textContent()
  }
  assert.match(
    (await show({ ...body.receipt, completedAt: '2026-01-01T00:00:00.000Z' })) ?? '',
    /changed after it was signed/,
  )
  const signature = { ...body.receipt.signature, keyId: '0123456789abcdef' }
  assert.match((await show({ ...body.receipt, signature })) ?? '', /signed with another key/)
  assertQuiet(page)
})

test('the page of an ingest job shows what became of each content', async () => {
  const { key, call } = await server.tenant()
  const { writer, ingest } = memoriesOf(call)
  await writer('crm', 90)
  await writer('chat', 10)
  await ingest('ada', 'dark mode', { service: 'crm' })
  const { job } = await ingest('ada', 'light mode', { service: 'chat' })
  await using page = await openConsole({ url: server.url, key }, `/operations?tab=jobs&job=${job.job_id}`)
  const decided = page.getByRole('list', { name: 'What became of each content' })
  await decided.getByText('overruled', { exact: true }).waitFor()
  await decided.getByText(job.decided[0].why).waitFor()
  assertQuiet(page)
})
