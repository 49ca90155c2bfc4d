import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openConnection } from '../../src/cli/connection.ts'
import { createClient } from '../../src/client/index.ts'
import { cleanEnv } from '../support/server-process.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Texts of 40 MB; what is held of them at any time is a page and a few pieces. */
const texts = 1_000
const heldBytesMax = 15_000_000

test('an export in this process holds a part of it in memory, however fast it is read', async (t) => {
  const before = process.env
  process.env = cleanEnv({ COLOPHON_STORAGE: 'memory' })
  t.after(() => (process.env = before))
  const { close, ...connection } = await openConnection({})
  const client = createClient(connection)
  const content = 'memory '.repeat(6_000)
  for (let done = 0; done < texts; done += 20)
    await client.memory.putMany(
      'big',
      Array.from({ length: 20 }, (_, index) => ({ content: `${done + index} ${content}` })),
    )

  collect()
  const heldBefore = process.memoryUsage().arrayBuffers
  let [characters, pieces, held] = [0, 0, 0]
  for await (const piece of client.export()) {
    characters += piece.length
    pieces += 1
    if (pieces % 50 !== 0) continue
    collect()
    held = Math.max(held, process.memoryUsage().arrayBuffers - heldBefore)
  }
  await close()
  assert.ok(characters > texts * content.length && pieces > 100, `${characters} characters in ${pieces} pieces`)
  assert.ok(held < heldBytesMax, `${held} bytes were held`)
})
