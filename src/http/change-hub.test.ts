import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, tenantId, type UseCaseWorld } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import { Watch } from '../app/changes/watch.ts'
import { put } from '../app/entries/put.ts'
import { putRule } from '../app/redaction/rules.ts'
import { ChangeHubs, type ChangeSubscriber } from './change-hub.ts'

const write = ({ engine }: UseCaseWorld, tenant = tenantId) => put(engine.tenant(tenant), 'notes', { content: 'text' })

type WatcherParts = Omit<ChangeSubscriber, 'stream'> & ChangeSubscriber['stream']

/** A client of the stream that records the positions it receives. */
function openWatcher({ reader = null, format = 'plain', ...parts }: Partial<WatcherParts> = {}) {
  const positions: number[] = []
  const closed = new AbortController()
  const waiting: { count: number; resolve: () => void }[] = []
  const stream: ChangeSubscriber['stream'] = {
    send(frame) {
      if (closed.signal.aborted) return
      positions.push(Number(/^id: (\d+)/.exec(frame)?.[1]))
      for (const { count, resolve } of waiting) if (positions.length >= count) resolve()
    },
    drained: async () => {},
    recheck: async () => {},
    end: () => closed.abort(),
    onEnd: (callback) => closed.signal.addEventListener('abort', callback),
    ...parts,
    get isEnded() {
      return closed.signal.aborted
    },
  }
  const subscriber: ChangeSubscriber = { stream, reader, format }
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ count, resolve })
      if (positions.length >= count) resolve()
    })
  return { subscriber, positions, received, end: stream.end, isEnded: () => closed.signal.aborted }
}

test('a subscriber gets past changes after its position and then live ones, in order and once', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (let n = 0; n < 3; n++) await write(world)
  const hubs = new ChangeHubs(world.engine)
  const client = openWatcher()
  await hubs.subscribe(tenantId, 1, client.subscriber)
  assert.deepEqual(client.positions, [2, 3])
  await write(world)
  await client.received(3)
  await write(world)
  await client.received(4)
  assert.deepEqual(client.positions, [2, 3, 4, 5])
  client.end()
})

test('changes that are stored while a subscriber reads past ones follow them without a gap or a repeat', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (let n = 0; n < 3; n++) await write(world)
  const hubs = new ChangeHubs(world.engine)
  const live = openWatcher()
  await hubs.subscribe(tenantId, 3, live.subscriber)
  let steps = 0
  const client = openWatcher({
    // Before the past is read: this change is part of the past and of what is live.
    async recheck() {
      if (steps === 0) await write(world)
      await live.received(1)
    },
    async drained() {
      if (steps++ > 0) return
      await write(world)
      await live.received(2)
    },
  })
  await hubs.subscribe(tenantId, 0, client.subscriber)
  assert.deepEqual(client.positions, [1, 2, 3, 4, 5])
  client.end()
  live.end()
})

test('a change that a subscriber has read as a past one is not sent again by the shared reader', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world)
  // A reader that is woken by the test and not by the commit.
  const watch = new Watch(async () => new Map())
  const hubs = new ChangeHubs({ ...world.engine, watch })
  const client = openWatcher({ recheck: async () => void (await write(world)) })
  await hubs.subscribe(tenantId, 1, client.subscriber)
  assert.deepEqual(client.positions, [2])
  await write(world)
  // Until the reader has reached the last change.
  while (client.positions.at(-1) !== 3) {
    watch.notify(tenantId, 3)
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.deepEqual(client.positions, [2, 3])
  client.end()
  watch.close()
})

test('many subscribers of a tenant share one reader, and a tenant sees only its own changes', async () => {
  let reads = 0
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      audit(query) {
        reads += 1
        return storage.audit(query)
      },
    }
  })
  await write(world)
  const hubs = new ChangeHubs(world.engine)
  const clients = Array.from({ length: 5 }, () => openWatcher())
  for (const { subscriber } of clients) await hubs.subscribe(tenantId, 1, subscriber)
  const other = openWatcher()
  await hubs.subscribe('globex', 0, other.subscriber)
  reads = 0
  await write(world)
  await Promise.all(clients.map(({ received }) => received(1)))
  assert.equal(reads, 1)
  assert.deepEqual([clients.map(({ positions }) => positions), other.positions], [clients.map(() => [2]), []])
  for (const { end } of [...clients, other]) end()
})

test('a subscriber whose key was revoked gets no later change', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world)
  const hubs = new ChangeHubs(world.engine)
  let isRevoked = false
  const revoked = openWatcher({
    recheck: async () => {
      if (isRevoked) throw new Error('the key was revoked')
    },
  })
  const other = openWatcher()
  for (const { subscriber } of [revoked, other]) await hubs.subscribe(tenantId, 1, subscriber)
  isRevoked = true
  await putRule(world.tenant, 'ticket', { pattern: 'TCK' })
  await write(world)
  await other.received(1)
  assert.deepEqual([revoked.isEnded(), revoked.positions, other.positions], [true, [], [3]])
  other.end()
})

test('a subscriber whose key was revoked while its stream opened gets no past change', async () => {
  await using world = openUseCases(openInMemoryStore)
  await write(world)
  const client = openWatcher({ recheck: async () => Promise.reject(new Error('the key was revoked')) })
  await assert.rejects(new ChangeHubs(world.engine).subscribe(tenantId, 0, client.subscriber))
  assert.deepEqual(client.positions, [])
  client.end()
})

test('when the database fails, the streams end, and a later subscriber starts again', async () => {
  let isAway = false
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const clock: typeof storage.clock = async (tenant) => {
      if (isAway) throw new Error('the database is away')
      return storage.clock(tenant)
    }
    return { ...storage, clock }
  })
  await write(world)
  const hubs = new ChangeHubs(world.engine)
  const ended = Promise.withResolvers<void>()
  const client = openWatcher({ end: ended.resolve })
  await hubs.subscribe(tenantId, 1, client.subscriber)
  isAway = true
  world.engine.watch.notify(tenantId, 2)
  await ended.promise
  isAway = false
  const later = openWatcher()
  await hubs.subscribe(tenantId, 0, later.subscriber)
  assert.deepEqual(later.positions, [1])
  later.end()
})
