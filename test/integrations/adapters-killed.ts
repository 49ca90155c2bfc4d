import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client/index.ts'
import { createHome } from '../support/server.ts'
import { cleanEnv, startServerProcess } from '../support/server-process.ts'
import { adapters } from './adapters.ts'

const program = fileURLToPath(new URL('./adapter-writer-program.ts', import.meta.url))

/**
 * Sends `writes` numbers through every adapter while the client and the server are killed by turns, after every `killEvery` numbers.
 * A client that starts again sends the last `resent` numbers again. In the end each number is stored once, in order.
 */
export async function killAdapters(plan: { writes: number; killEvery: number; resent: number }): Promise<void> {
  await using home = await createHome('sqlite')
  let server = await startServerProcess({ home })
  const { url, key } = server
  const env = { COLOPHON_PORT: new URL(url).port, COLOPHON_BOOTSTRAP_KEY: key }
  const start = (from: number) =>
    spawn(process.execPath, [program, String(Math.max(0, from - plan.resent)), String(plan.writes)], {
      env: cleanEnv({ COLOPHON_URL: url, COLOPHON_API_KEY: key }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  let writer = start(0)
  let stored = 0
  try {
    for (let round = 0; ; round++) {
      stored = await follow(writer, stored + plan.killEvery, stored)
      if (stored >= plan.writes) break
      if (round % 2 === 0) {
        writer.kill('SIGKILL')
        await once(writer, 'close')
        writer = start(stored)
      } else {
        await server.kill()
        server = await startServerProcess({ home, env })
      }
    }
    const client = createClient({ url, key })
    const expected = Array.from({ length: plan.writes }, (_, number) => number)
    for (const [name, open] of Object.entries(adapters))
      assert.deepEqual(await open(client, 'killed').read(), expected, name)
    assert.deepEqual((await client.audit.verify({ contents: 'true' })).anomalies, [])
  } finally {
    writer.kill('SIGKILL')
    await server[Symbol.asyncDispose]()
  }
}

/** Reads the numbers that a writer reports, until one of them is reached or the writer has ended: how many are stored. */
async function follow(writer: ChildProcess, until: number, stored: number): Promise<number> {
  let count = stored
  if (writer.stdout === null) return count
  for await (const line of createInterface({ input: writer.stdout })) {
    count = Math.max(count, Number(line) + 1)
    if (count >= until) break
  }
  return count
}
