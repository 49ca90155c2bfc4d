import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { openChanges, openRequests, type SseEvent } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const _positions = (events: readonly SseEvent[]) => events.map(({ data }) => data.position as number)

async function put(call: Call, count: number): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, index) => call('POST', notes, { content: `entry ${index}` })),
  )
  return answers.map(({ body }) => body.id as string)
}

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    for (const how of ['is revoked', 'expires'] as const) {
      test(`a stream ends once its key ${how}`, async () => {
        const { call, key } = await server.tenant()
        const open = async (expiresAt: Date) => {
          const draft = { name: 'guest', scopes: ['memory:read'], expiresAt }
          const guest = (await call('POST', `${host}/keys`, draft)).body
          const stream = await openChanges(server.url, guest.key).catch(() => null)
          return stream && { guest, stream }
        }
        const opened = await makeBrief(open, how === 'expires' ? 1_000 : 3_600_000)
        const { guest } = opened
        await using stream = opened.stream
        if (how === 'is revoked') await call('DELETE', `${host}/keys/${guest.id}`)
        const isOver = async () => (await server.as(guest.key)('GET', notes)).status === 401
        await eventually('the key opens nothing', isOver)
        await using other = await openChanges(server.url, key)
        // Each waits until the one before was sent, so that a stream that wrongly stays open had every chance to get it too.
        for (const count of [1, 2, 3]) {
          await put(call, 1)
          await other.until('the change is sent', (events) => events.length >= count)
        }
        assert.deepEqual(stream.events, [], 'a refused key still gets changes')
      })
    }

    test('the server releases the streams of readers that disconnect', async () => {
      const { call, key } = await server.tenant()
      const before = await openRequests(server.url)
      const streams = await Promise.all(Array.from({ length: 50 }, () => openChanges(server.url, key, { after: 0 })))
      await eventually('all are counted', async () => (await openRequests(server.url)) >= before + 50)
      for (const stream of streams) await stream.close()
      await eventually('none is left', async () => (await openRequests(server.url)) <= before)
      await put(call, 1)
    })
  })
}
