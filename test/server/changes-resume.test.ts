import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { type Call, createHome, randomKey, startServer, useServer } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openChanges, type SseEvent } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const positions = (events: readonly SseEvent[]) => events.map(({ data }) => data.position as number)

async function put(call: Call, count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => call('POST', notes, { content: `entry ${index}` })),
  )
  return answers.map(({ body }) => body.id as string)
}

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('a reader that reconnects with its last id misses no change and gets none twice', async () => {
      const { call, key } = await server.tenant()
      const seen: SseEvent[] = []
      const writing = (async () => {
        for (let round = 0; round < 8; round++) await put(call, 10)
      })()
      let lastEventId: string | undefined
      while (seen.length < 80) {
        // A resumed position wins over the one in the address.
        await using stream = await openChanges(
          server.url,
          key,
          lastEventId === undefined ? { after: 0 } : { after: 0, lastEventId },
        )
        const wanted = Math.min(80 - seen.length, 13)
        await stream.until('more changes', (events) => events.length >= wanted)
        seen.push(...stream.events.slice(0, wanted))
        lastEventId = seen.at(-1)?.id ?? undefined
      }
      await writing
      assert.deepEqual(
        positions(seen),
        Array.from(seen, (_, index) => (seen[0]?.data.position as number) + index),
      )
    })

    test('a reader resumes after a crash of the server', async () => {
      await using home = await createHome(storage)
      const env = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
      await using first = await startServerProcess({ home, env })
      const stream = await openChanges(first.url, first.key, { after: 0 })
      await put(first.call, 20)
      await stream.until('half of them', (events) => events.length >= 10)
      await first.kill()
      await stream.ended
      const seen = [...stream.events]
      await using second = await startServer({ home, env })
      await put(second.call, 5)
      await using rest = await openChanges(second.url, second.key, { lastEventId: seen.at(-1)?.id ?? '' })
      await rest.until('the rest', (events) => seen.length + events.length >= 25)
      assert.deepEqual(
        positions([...seen, ...rest.events]),
        Array.from({ length: 25 }, (_, index) => index + 1),
      )
    })
  })
}

test('a stream at one server has the writes of another', async () => {
  await using home = await createHome('postgres')
  const env = { COLOPHON_BOOTSTRAP_KEY: randomKey() }
  await using left = await startServer({ home, env })
  await using right = await startServer({ home, env })
  await using stream = await openChanges(left.url, left.key, { after: 0 })
  await Promise.all([put(left.call, 20), put(right.call, 20)])
  await stream.until('all changes', (events) => events.length >= 40)
  assert.deepEqual(
    positions(stream.events),
    Array.from({ length: 40 }, (_, index) => index + 1),
  )
})
