// Writes docs/images from the demo, as a browser shows it: node scripts/bootstrap.mjs scripts/screenshots.ts
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openConsole } from '../test/console/console.ts'
import { runCli } from '../test/support/cli.ts'
import { startServer } from '../test/support/server.ts'

const folder = fileURLToPath(new URL('../docs/images/', import.meta.url))
const viewport = { width: 1280, height: 800 }

type Demo = { readonly correctedMemory: string; readonly replayedRun: string }

mkdirSync(folder, { recursive: true })
await using server = await startServer()
const connection = ['--url', server.url, '--key', server.key]
const { stdout, stderr, code } = await runCli([...connection, 'demo', '--json'])
if (code !== 0) throw new Error(stderr)
const demo = JSON.parse(stdout) as Demo

await picture('overview', '/', 'Conflicts')
await picture('memories', `/memories?ref=subject%3Arosa&entry=${demo.correctedMemory}`, 'Cádiz')
await picture('runs', '/runs', 'welcome-call')
await picture('run', `/runs/${demo.replayedRun}`, 'recall')
await picture('sources', '/sources', 'Support desk')
const contested = await server.call('GET', '/v1/host/colophon/claims?status=contested&subject=mateo')
await picture('conflicts', `/claims?claim=${contested.body.claims[0].id}`, 'America/Bogota')
await picture('time', '/operations', 'agents/concierge')
await picture('security', '/security', 'dashboard')
// The test runner's hooks close the browser; without one, the process would wait for it.
process.exit()

/** One screen, once it shows this text. */
async function picture(name: string, path: string, shows: string): Promise<void> {
  await using page = await openConsole(server, path, { viewport, colorScheme: 'light', reducedMotion: 'reduce' })
  await page.getByText(shows).first().waitFor()
  await page.waitForLoadState('networkidle').catch(() => {})
  await page.screenshot({ path: `${folder}${name}.png`, animations: 'disabled' })
  process.stdout.write(`docs/images/${name}.png\n`)
}
