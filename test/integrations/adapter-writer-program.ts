// Sends writes through all adapters, in order, from a number on: node adapter-writer-program.ts FIRST LAST.
// It is killed and started again by the test, so some writes are sent twice. It prints each number that all adapters stored.
import { createClient } from '../../src/client/index.ts'
import { adapters } from './adapters.ts'

const { COLOPHON_URL = '', COLOPHON_API_KEY } = process.env
const [first, last] = process.argv.slice(2).map(Number)
// The server is killed too: each call waits until it is back.
const retry = { retries: 200, baseMs: 20, maxMs: 200 }
const client = createClient({ url: COLOPHON_URL, key: COLOPHON_API_KEY, retry })
const conversations = Object.values(adapters).map((open) => open(client, 'killed'))

for (let number = first ?? 0; number < (last ?? 0); number++) {
  await Promise.all(conversations.map(({ write }) => write(number)))
  process.stdout.write(`${number}\n`)
}
