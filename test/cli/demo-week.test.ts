import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { assertQuiet, openConsole } from '../console/console.ts'
import { runCli } from '../support/cli.ts'
import { createHome, startServer } from '../support/server.ts'

const dayMs = 24 * 3_600_000

test('in a new tenant the demo records its week over a week, and every screen has something to show', async () => {
  await using home = await createHome('sqlite')
  const began = Date.now()
  const { code, stdout, stderr } = await runCli(['demo', '--json'], { env: home.env })
  assert.equal(code, 0, stderr)
  const demo = JSON.parse(stdout)
  await using server = await startServer({ home })
  const client = createClient({ url: server.url, key: demo.key })

  // The recorded times: audit records, versions and runs, never in the future.
  const records = []
  for await (const record of client.audit.each()) records.push(record)
  const instants = records.map(({ at }) => Date.parse(at))
  assertWeek(instants)
  assert.ok((instants.at(-1) ?? began) <= Date.now())
  assert.equal(new Set(instants.map((at) => Math.floor(at / dayMs))).size >= 6, true, 'something happens on each day')
  const { data } = await client.memories.list({ external_user_id: 'ada' })
  assert.ok(data.length >= 3)
  assertSpan(
    data.map(({ created_at }) => Date.parse(created_at)),
    2 * dayMs,
  )
  const { runs } = await client.runs.list({ limit: 50 })
  assertSpan(
    runs.map(({ createdAt }) => Date.parse(createdAt)),
    4 * dayMs,
  )
  const [key] = (await client.keys.list()).keys.filter(({ name }) => name === 'first key')
  assert.ok(began - Date.parse(key?.createdAt ?? '') > 5 * dayMs)

  // Nine runs and the maintenance run of the compaction.
  const statuses = runs.map(({ status }) => status)
  assert.deepEqual(
    [statuses.length, statuses.includes('failed'), statuses.includes('waiting-approval')],
    [10, true, true],
  )
  const forks = runs.filter(({ sourceRunId }) => sourceRunId === demo.replayedRun)
  assert.equal(forks.length, 2, 'a replay and a branch')
  assert.ok(forks.some(({ runId }) => runId === demo.replay))

  const { jobs } = await client.jobs.list({ status: 'dead' })
  const dead = jobs.map(({ kind, error, attempts }) => [kind, error?.code, attempts])
  assert.deepEqual(dead, Array(2).fill(['colophon.webhook', 'delivery_failed', 8]), 'of the two failed runs')
  const statusesOfClaims = new Set((await client.claims.list({ limit: 100 })).claims.map(({ status }) => status))
  for (const status of ['contested', 'pinned', 'settled'] as const) assert.ok(statusesOfClaims.has(status), status)
  const edited = await client.memories.get(demo.correctedMemory)
  assert.equal(edited.content, 'Rosa lives in Cádiz.')
  assert.equal((await client.quarantine.list()).memories.length, 1)
  assert.equal((await client.forget.list()).forgets.length, 1)
  assert.equal((await client.compactions.list()).compactions.length, 1)
  const { commitments } = await client.commitments.list()
  assert.deepEqual(
    commitments.map(({ status }) => status),
    ['waiting', 'waiting'],
  )

  // The chain, the contents and the receipts are whole.
  assert.deepEqual((await client.audit.verify({ contents: 'true' })).anomalies, [])

  // In the console: what waits, and the dead letters of the webhook, which are sent again.
  await using page = await openConsole({ url: server.url, key: demo.key }, '/inbox')
  for (const words of ['approval', 'contested', 'webhook failed', 'quarantine'])
    await page.getByRole('main').getByText(words, { exact: true }).first().waitFor()
  await page.goto(`${server.url}/console/operations?tab=commitments`)
  await page
    .getByRole('row', { name: /confirm the ferry of Noor/ })
    .getByText('waiting')
    .waitFor()
  await page.goto(`${server.url}/console/operations?tab=agents`)
  await page.getByRole('row', { name: /Concierge.*calendar/ }).waitFor()
  await page.goto(`${server.url}/console/operations?tab=webhooks`)
  const [webhook] = (await client.webhooks.list()).webhooks
  await page.getByRole('button', { name: 'Dead letters' }).click()
  await page.waitForURL(`**/operations?tab=webhooks&webhook=${webhook?.webhookId}`)
  const letter = page.getByRole('row', { name: /run\.failed of its run no answer after 8 attempts/ })
  await letter.nth(1).waitFor()
  await letter.first().getByRole('button', { name: 'Retry' }).click()
  await page.getByText('1 delivery queued again.').waitFor()
  await page.getByRole('button', { name: 'Retry it' }).click()
  await page.getByText('No dead letters.').waitFor()
  assert.deepEqual((await client.jobs.list({ status: 'dead' })).jobs, [])
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Rotate secret' }).click()
  await page.getByText('For 24 hours deliveries are still signed with the present secret').waitFor()
  await page.getByLabel('Your API key').fill(demo.key)
  await page.getByRole('button', { name: 'Rotate the secret' }).click()
  await page.getByRole('dialog').getByText('It is not shown again').waitFor()
  await page.getByRole('button', { name: 'I saved it' }).click()
  const [rotated] = (await client.webhooks.list()).webhooks
  assert.notEqual(rotated?.secretFingerprint, webhook?.secretFingerprint)
  await page.getByText(`${rotated?.secretFingerprint}…`).waitFor()
  assertQuiet(page)
})

function assertSpan(instants: readonly number[], ms: number): void {
  const span = Math.max(...instants) - Math.min(...instants)
  assert.ok(span >= ms, `they span ${span / dayMs} days`)
}

function assertWeek(instants: readonly number[]): void {
  assertSpan(instants, 5.4 * dayMs)
  assert.ok(Math.max(...instants) - Math.min(...instants) < 7.1 * dayMs)
  assert.deepEqual(
    instants,
    instants.toSorted((a, b) => a - b),
    'instants never go back',
  )
}
