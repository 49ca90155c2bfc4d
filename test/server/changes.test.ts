import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { ChangeCloudEvent, ChangeEvent, ChangeGap } from '../../src/wires/host/schemas/changes.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, randomKey, storagesOfBehaviour, useServer } from '../support/server.ts'
import { openChanges, type SseEvent } from '../support/sse.ts'
import { chain, ended, put as putNode, startRun } from './runs-calls.ts'

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

for (const storage of storagesOfBehaviour) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('a stream has every change from its position on, by identifiers only', async () => {
      const { call, key } = await server.tenant()
      const [id = ''] = await put(call, 1)
      const batch = (
        await call('POST', `${notes}:batch`, { entries: [{ content: 'a' }, { content: 'b', tags: ['t'] }] })
      ).body
      await call('PUT', `${host}/secrets/s`, { value: randomKey() })
      await call('DELETE', `${notes}/${id}`)
      await using stream = await openChanges(server.url, key, { after: 0 })
      assert.equal(stream.status, 200)
      assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/)
      assert.equal(stream.headers.get('cache-control'), 'no-store')
      await stream.until('three changes', (events) => events.length >= 3)
      for (const { id: eventId, event, data } of stream.events) {
        assert.deepEqual([event, eventId], ['change', String(data.position)])
        assert.deepEqual(ChangeEvent.parse(data), data)
        assert.equal(data.memoryRef, 'notes')
      }
      const entryIds = [[id], batch.entries.map((entry: { id: string }) => entry.id), [id]]
      assert.deepEqual(
        stream.events.map(({ data }) => data.entryIds),
        entryIds,
      )
      assert.equal(stream.events[2]?.data.reason, 'deleted')
      assert.deepEqual(
        positions(stream.events),
        positions(stream.events).toSorted((a, b) => a - b),
      )
      await using later = await openChanges(server.url, key, { after: batch.position })
      await later.until('the last change', (events) => events.length >= 1)
      assert.deepEqual(later.events, stream.events.slice(2))
    })

    test('a forget is a gap, live and for a client that resumes: it names nothing that it erased', async () => {
      const { call, key } = await server.tenant()
      await call('POST', notes, { content: 'Ann moved to Bonn.', subject: 'ann' })
      await using live = await openChanges(server.url, key)
      const started = await call('POST', `${host}/forget`, { subject: 'ann', reason: 'asked' })
      assert.equal(started.status, 202, started.text)
      const isForgotten = ({ event, data }: SseEvent) => event === 'gap' && data.reason === 'forgotten'
      await live.until('the fence and the check are sent', (events) => events.filter(isForgotten).length >= 2)
      const gaps = live.events.filter(isForgotten)
      for (const { id, data } of gaps) {
        assert.deepEqual(ChangeGap.parse(data), data)
        assert.equal(id, String(data.to))
      }
      await using resumed = await openChanges(server.url, key, { after: 0 })
      await resumed.until('they are sent again', (events) => events.filter(isForgotten).length >= 2)
      assert.deepEqual(resumed.events.filter(isForgotten), gaps)
    })

    test('a stream of CloudEvents has the same changes, each with an id of its own, past and live', async () => {
      const { call, key, id: tenantId } = await server.tenant()
      const { body: flow } = await call(
        'POST',
        `${host}/workflows`,
        chain('two', [putNode('a', 'one'), putNode('b', 'two', 'other')]),
      )
      assert.ok(flow)
      await put(call, 1)
      // One commit that changes two refs.
      await ended(call, await startRun(call, 'two'))
      await using plain = await openChanges(server.url, key, { after: 0 })
      await using stream = await openChanges(server.url, key, { after: 0, format: 'cloudevents' })
      await put(call, 1)
      await plain.until('all changes', (events) => events.length >= 4)
      await stream.until('all changes', (events) => events.length >= plain.events.length)
      assert.deepEqual(
        stream.events.map(({ data, ...event }) => ({ ...event, data: data.data })),
        plain.events,
      )
      for (const { data } of stream.events) {
        assert.deepEqual(ChangeCloudEvent.parse(data), data)
        const { specversion, source, type, subject, time } = data
        assert.deepEqual(
          [specversion, source, type, subject, time],
          ['1.0', `urn:colophon:tenant:${tenantId}`, 'colophon.memory.written', data.data.memoryRef, data.data.at],
        )
      }
      const ids = stream.events.map(({ data }) => data.id)
      assert.equal(new Set(ids).size, ids.length, `${ids}`)
      assert.ok(
        ids.some((one) => one.endsWith('.1')),
        'a commit with two changes',
      )
      await using late = await openChanges(server.url, key, { after: 9_999, format: 'cloudevents' })
      await late.until('the gap', (events) => events.length >= 1)
      const [gap] = late.events
      assert.deepEqual([gap?.event, gap?.data.type, gap?.data.data.from], ['gap', 'colophon.memory.gap', 9_999])
    })

    test('a stream without a position starts at the current one', async () => {
      const { call, key } = await server.tenant()
      await put(call, 3)
      await using stream = await openChanges(server.url, key)
      const [id = ''] = await put(call, 1)
      await stream.until('the new change', (events) => events.length >= 1)
      assert.deepEqual(
        stream.events.map(({ data }) => data.entryIds),
        [[id]],
      )
      assert.ok(stream.comments.length >= 1, 'a comment shows at once that the stream is open')
    })

    test('a position that was never reached is a gap, and the stream continues from the current position of the tenant', async () => {
      const { call, key } = await server.tenant()
      await put(call, 2)
      const { position } = (await call('GET', notes)).body
      for (const options of [{ after: position + 50 }, { lastEventId: String(position + 50) }]) {
        await using stream = await openChanges(server.url, key, options)
        await stream.until('the gap', (events) => events.length >= 1)
        const [gap] = stream.events
        const now = Number(gap?.id)
        assert.equal(gap?.event, 'gap')
        const { from, to } = ChangeGap.parse(gap?.data)
        assert.deepEqual([from, to], [position + 50, now])
        await put(call, 1)
        await stream.until('the next change', (events) => events.length >= 2)
        assert.deepEqual([stream.events[1]?.event, stream.events[1]?.data.position], ['change', now + 1])
      }
    })

    test('an invalid last id is refused', async () => {
      const { call } = await server.tenant()
      for (const id of ['x', '-1', '1.5', '1e400', '99999999999999999999']) {
        assertError(await call('GET', `${host}/changes`, undefined, { 'last-event-id': id }), 400, 'validation_error')
      }
    })

    test('changes of two tenants never appear in each other’s streams', async () => {
      const [one, two] = [await server.tenant(), await server.tenant()]
      await using first = await openChanges(server.url, one.key, { after: 0 })
      await using second = await openChanges(server.url, two.key, { after: 0 })
      const [ids, others] = await Promise.all([put(one.call, 10), put(two.call, 10)])
      await first.until('ten changes', (events) => events.length >= 10)
      await second.until('ten changes', (events) => events.length >= 10)
      const entryIdsOf = (events: readonly SseEvent[]) => events.flatMap(({ data }) => data.entryIds as string[]).sort()
      assert.deepEqual(entryIdsOf(first.events), ids.toSorted())
      assert.deepEqual(entryIdsOf(second.events), others.toSorted())
    })
  })
}
