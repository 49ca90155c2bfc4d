// Writes docs/images from the demo, as a browser shows it: node scripts/bootstrap.mjs scripts/screenshots.ts
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type ConsolePage, openConsole } from '../test/console/console.ts'
import { runCli } from '../test/support/cli.ts'
import { createHome, startServer } from '../test/support/server.ts'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))
const viewport = { width: 1280, height: 800 }

type Demo = { readonly replayedRun: string; readonly key: string }

mkdirSync(folder, { recursive: true })
// On the data folder, before a server runs on it: only then is the week recorded over a week.
await using home = await createHome('sqlite')
const { stdout, stderr, code } = await runCli(['demo', '--json'], { env: home.env })
if (code !== 0) throw new Error(stderr)
const demo = JSON.parse(stdout) as Demo
await using server = await startServer({ home })
const call = server.as(demo.key)

const ofGrace = await call('GET', '/v1/memories?external_user_id=grace')
const meal = ofGrace.body.data.find(({ content }: { content: string }) => content.includes('vegetarian'))
await picture('belief', `/memories/${meal.id}`, 'outranked')
await picture('subject', '/subjects/ada', 'Believed now')
await picture('inbox', '/inbox', 'Refund 860 euros')
await picture('run', `/runs/${demo.replayedRun}?tab=memory`, 'Not visible to this run')
await picture('simulator', '/sources?tab=simulator', 'Default priorities', async (page) => {
  await page.getByRole('slider', { name: 'Priority of chat' }).fill('85')
  await page.getByRole('slider', { name: 'Priority of support-desk' }).fill('90')
  await page.getByRole('button', { name: /^Apply to 2 writers/ }).waitFor()
  await page.locator('[aria-busy="false"]').waitFor()
})
await picture('overview', '/', 'Conflicts')
await picture('runs', '/runs', 'welcome-call')
const contested = await call('GET', '/v1/host/colophon/claims?status=contested&subject=mateo')
await picture('claim', `/claims?claim=${contested.body.claims[0].id}`, 'America/Bogota')
await picture('operations', '/operations?tab=compactions', 'agents/concierge')
await picture('security', '/security', 'dashboard')
// The test runner's hooks close the browser; without one, the process would wait for it.
process.exit()

/** One screen, once it shows this text and is prepared. */
async function picture(
  name: string,
  path: string,
  shows: string,
  prepare: (page: ConsolePage) => Promise<void> = async () => {},
): Promise<void> {
  await using page = await openConsole({ url: server.url, key: demo.key }, path, {
    viewport,
    colorScheme: 'light',
    reducedMotion: 'reduce',
  })
  await page.getByText(shows).first().waitFor()
  await prepare(page)
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' })
  process.stdout.write(`docs/images/${name}.png\n`)
}
