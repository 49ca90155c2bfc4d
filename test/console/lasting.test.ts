import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHome, startServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { isThorough } from '../support/thorough.ts'
import { assertQuiet, openConsole } from './console.ts'

const batches = isThorough ? 100 : 20
const newest = batches * 1_000 - 1

test('of many thousand entries only the visible ones are in the page, and scrolling loads the next ones', async () => {
  await using server = await startServer()
  for (let batch = 0; batch < batches; batch++) {
    const entries = Array.from({ length: 1_000 }, (_, index) => ({ content: `note ${batch * 1_000 + index}` }))
    const put = await server.call('POST', '/v1/host/colophon/memory/many/entries:batch', { entries })
    assert.equal(put.status, 201, put.text)
  }
  await using page = await openConsole(server, '/memories?ref=many')
  await page.getByText(`note ${newest}`, { exact: true }).waitFor()
  await page.getByRole('button', { name: /many/ }).getByText(`${batches},000 entries`).waitFor()
  const list = page.getByRole('region', { name: 'Memories' })
  for (const back of [40, 100, 300]) {
    while ((await page.getByText(`note ${newest - back}`, { exact: true }).count()) === 0) {
      await list.evaluate((element) => element.scrollBy(0, 600))
      await page.waitForTimeout(10)
    }
  }
  assert.ok((await list.getByRole('row').count()) < 100)
  assertQuiet(page)
})

test('the console reconnects after a server restart, and shows what was written meanwhile', async () => {
  await using home = await createHome('sqlite')
  const first = await startServerProcess({ home })
  const port = new URL(first.url).port
  const env = { COLOPHON_PORT: port, COLOPHON_BOOTSTRAP_KEY: first.key }
  await first.call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'before the restart' })
  await using page = await openConsole(first, '/memories?ref=notes')
  await page.getByText('before the restart').waitFor()
  await page.locator('[data-connection="open"]').waitFor()
  await first.kill()
  await page.locator('[data-connection="lost"]').waitFor()
  await page.getByText(/The server does not answer. What you see is from .*, \d+ seconds? ago/).waitFor()
  await page.getByText('before the restart').waitFor()
  await using second = await startServer({ home, env })
  await second.call('POST', '/v1/host/colophon/memory/notes/entries', { content: 'after the restart' })
  await page.locator('[data-connection="open"]').waitFor()
  await page.getByText('after the restart').waitFor()
  await page.getByText('The server does not answer.').waitFor({ state: 'detached' })
})
