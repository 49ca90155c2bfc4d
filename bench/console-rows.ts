// How long the console takes to show the first rows of a large tenant, in a browser: node bench/console-rows.ts [memories]
import { openConsole } from '../test/console/console.ts'
import { startServer } from '../test/support/server.ts'
import { describeLoad } from './machine.ts'
import { spreadOf } from './pair.ts'

const memories = Number(process.argv[2] ?? 100_000)
const batch = 1_000
const rounds = 15

await using server = await startServer()
for (let first = 0; first < memories; first += batch) {
  const entries = Array.from({ length: batch }, (_, index) => ({
    content: `Note ${first + index}: Ada prefers tea in the morning, and said so on Monday.`,
    tags: ['preference'],
  }))
  const ref = `subject-${(first / batch) % 20}`
  const { status, text } = await server.call('POST', `/v1/host/colophon/memory/${ref}/entries:batch`, { entries })
  if (status !== 201) throw new Error(text)
}
process.stdout.write(`${memories.toLocaleString('en')} memories, load ${describeLoad()}\n`)

await using page = await openConsole(server, '/settings')
for (const [name, path] of [
  ['all memories', '/memories'],
  ['one ref', '/memories?ref=subject-7'],
] as const) {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    await page.goto('about:blank')
    const start = performance.now()
    await page.goto(`${server.url}/console${path}`, { waitUntil: 'commit' })
    await page
      .getByText(/^Note \d+: Ada/)
      .locator('visible=true')
      .first()
      .waitFor()
    times.push(performance.now() - start)
  }
  const { median, max } = spreadOf(times)
  process.stdout.write(
    `${name}: first rows after ${median.toFixed(0)} ms (median), ${max.toFixed(0)} ms (worst of ${rounds})\n`,
  )
}
// The test runner's hooks close the browser; without one, the process would wait for it.
process.exit()
