// A suite for browser.test.ts, which runs it in a process of its own: the browser does not start, or ends during the first test.
import { after, before, test } from 'node:test'
import type { TestServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openBrowser } from './browser.ts'
import { openConsole } from './console.ts'

let server: TestServer
before(async () => {
  server = await startServerProcess()
  console.log(`server at ${server.url}`)
})
after(() => server[Symbol.asyncDispose]())

test('the browser ends while a page waits', async () => {
  await using page = await openConsole(server)
  const session = await (await openBrowser()).newBrowserCDPSession()
  await Promise.all([page.waitForURL('**/never'), session.send('Browser.crash')])
})

test('a test behind it opens the console', async () => {
  await using _page = await openConsole(server)
})
