import assert from 'node:assert/strict'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { buildConsole } from '../../scripts/build-console.ts'
import type { TestServer } from '../support/server.ts'
import { openBrowser } from './browser.ts'

export type ConsolePage = Page & { readonly problems: string[] } & AsyncDisposable

/** How long a page may take to show what it must. Nothing waits for it but a failure. */
const patienceMs = 60_000

await buildConsole()

/** A tab of its own, with nothing in its storage. What the page complains about is gathered in `problems`. */
export async function openTab(options: BrowserContextOptions = {}): Promise<ConsolePage> {
  const browser = await openBrowser()
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-US', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // The page itself shows a refused or failed call; the browser's own log line adds nothing.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) problems.push(message.text())
  })
  return Object.assign(page, { problems, [Symbol.asyncDispose]: () => context.close() })
}

/** A tab that is logged in and shows the screen at this path of the console. */
export async function openConsole(
  server: Pick<TestServer, 'url' | 'key'>,
  path = '/',
  options: BrowserContextOptions = {},
): Promise<ConsolePage> {
  const page = await openTab(options)
  await page.goto(`${server.url}/console${path}`)
  await logIn(page, server.key).catch((error: Error) => {
    throw new Error([error.message, ...page.problems].join('\n'))
  })
  return page
}

export async function logIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Open the console' }).click()
  // Not by its role: a drawer that the address opens hides everything behind it.
  await page.locator('#content').waitFor()
}

/** No error of a script, no refusal by the content policy. */
export function assertQuiet(page: ConsolePage): void {
  assert.deepEqual(page.problems, [])
}

/**
 * Counts the keys of a journey: each press, and a typed text as one. `clicks` counts what the pointer did meanwhile, as the page sees it.
 */
export async function countKeys(page: Page) {
  await page.evaluate('window.pointers = 0; addEventListener("pointerdown", () => { window.pointers += 1 }, true)')
  let count = 0
  return {
    get count() {
      return count
    },
    clicks: () => page.evaluate<number>('window.pointers'),
    async press(...keys: readonly string[]): Promise<void> {
      for (const key of keys) await page.keyboard.press(key)
      count += keys.length
    },
    async type(text: string): Promise<void> {
      await page.keyboard.type(text)
      count += 1
    },
  }
}

/** Counts the clicks of a journey. */
export function countClicks() {
  let count = 0
  return {
    get count() {
      return count
    },
    async on(target: Locator): Promise<void> {
      await target.click()
      count += 1
    },
  }
}
