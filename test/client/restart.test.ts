import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type ChangeEvent, createClient } from '../../src/client/index.ts'
import { chain, gate } from '../server/runs-calls.ts'
import { eventually } from '../support/child.ts'
import { createHome, type Home, randomKey } from '../support/server.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'

const retry = { baseMs: 20, maxMs: 200 }

/** The same data, key and address again. */
async function restart(server: ServerProcess, home: Home): Promise<ServerProcess> {
  return startServerProcess({
    home,
    env: { COLOPHON_PORT: new URL(server.url).port, COLOPHON_BOOTSTRAP_KEY: server.key },
  })
}

describe('a server that goes away in the middle of a stream', () => {
  for (const way of ['stop', 'kill'] as const) {
    test(`by ${way}: no change is lost and none comes twice`, async () => {
      await using home = await createHome('sqlite')
      await using first = await startServerProcess({ home, env: { COLOPHON_BOOTSTRAP_KEY: randomKey() } })
      const client = createClient({ url: first.url, key: first.key, retry: { ...retry, retries: 20 } })
      const done = new AbortController()
      const seen: ChangeEvent[] = []
      const states: string[] = []
      const onConnection = (state: string) => void states.push(state)
      const reading = (async () => {
        for await (const change of client.changes({ signal: done.signal, onConnection })) seen.push(change)
      })()
      await eventually('the stream is open', async () => states.length > 0)
      const ids = [(await client.memory.put('r', { content: 'Before.' })).id]
      await eventually('the first change came', async () => seen.length === 1)
      await first[way]()
      await eventually('the loss is noticed', async () => states.includes('lost'))
      await using second = await restart(first, home)
      const { entries } = await client.memory.putMany('r', [{ content: 'While away.' }, { content: 'Still.' }])
      ids.push(...entries.map(({ id }) => id), (await client.memory.put('r', { content: 'After.' })).id)
      await eventually('all came', async () => seen.flatMap(idsOf).length >= ids.length)
      done.abort()
      await reading
      assert.deepEqual(seen.flatMap(idsOf).sort(), ids.sort())
      assert.ok(second.pid !== first.pid && states.filter((state) => state === 'open').length >= 2)
    })
  }

  test('a run is followed to its end, each event once', async () => {
    await using home = await createHome('sqlite')
    await using first = await startServerProcess({ home, env: { COLOPHON_BOOTSTRAP_KEY: randomKey() } })
    const client = createClient({ url: first.url, key: first.key, retry: { ...retry, retries: 20 } })
    await client.workflows.put(chain('w', [gate('ask')]))
    const { runId } = await client.runs.create({ workflowId: 'w' })
    const sequences: number[] = []
    let isAsking = false
    const reading = (async () => {
      for await (const { sequence, type } of client.runs.watch(runId, { modes: ['debug'] })) {
        sequences.push(sequence)
        isAsking ||= type === 'node.suspended'
      }
    })()
    await eventually('the run asks', async () => isAsking)
    await first.kill()
    await using _second = await restart(first, home)
    await client.interrupts.answer(runId, 'ask', { action: 'accept' })
    await reading
    const { events } = await client.runs.events(runId, { streamMode: 'debug' })
    assert.deepEqual(
      sequences,
      events.map(({ sequence }) => sequence),
    )
  })
})

function idsOf(event: ChangeEvent): readonly string[] {
  return event.event === 'change' ? event.entryIds : []
}
