import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { cancelRun, pauseRun } from '../../app/runs/control.ts'
import { type RunStream, type RunStreamOptions, streamRun } from './run-stream.ts'
import { isUpdate } from './stream-modes.ts'
import { toEventView } from './views/run-events.ts'
import { toRunView } from './views/runs.ts'

/** A client of the stream that records the type and the id of each frame. */
function openClient() {
  const frames: string[] = []
  const data: unknown[] = []
  const closed = new AbortController()
  const waiting: { count: number; resolve: () => void }[] = []
  const stream: RunStream = {
    signal: closed.signal,
    drained: async () => {},
    end: () => closed.abort(),
    send(frame) {
      const [, id, event, json = ''] = /^id: (-?\d+)\nevent: (\S+)\ndata: (.*)\n\n$/s.exec(frame) ?? []
      frames.push(`${id} ${event}`)
      data.push(JSON.parse(json))
      for (const { count, resolve } of waiting) if (frames.length >= count) resolve()
    },
  }
  const received = (count: number) =>
    new Promise<void>((resolve) => {
      waiting.push({ count, resolve })
      if (frames.length >= count) resolve()
    })
  return { stream, frames, data, received }
}

async function openRun(typeId = 'core.noop', config = {}) {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'visit', [{ id: 'only', typeId, config }])
  const run = await startRun(world, { workflowId: 'visit' })
  const events = await world.engine.storage.runs.events({ tenantId, runId: run.runId, from: 0, limit: 100 })
  const options: RunStreamOptions = {
    runId: run.runId,
    after: -1,
    modes: ['debug'],
    bufferMs: 0,
    withTokens: false,
    recheck: async () => {},
    form: { toEvent: (event) => toEventView(run.runId, event), toRun: toRunView, isUpdate },
  }
  return { ...world, run, options, logged: events.map(({ sequence, type }) => `${sequence} ${type}`) }
}

test('the stream of an ended run sends its whole log in order of sequence, and ends', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, world.options, client.stream)
  assert.deepEqual([client.frames, client.stream.signal.aborted], [world.logged, true])
})

test('a client that reconnects gets the events after its last one', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, { ...world.options, after: 1 }, client.stream)
  assert.deepEqual(client.frames, world.logged.slice(2))
})

test('a client with a sequence beyond the log of an ended run gets no event, and its stream ends', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, { ...world.options, after: 1_000 }, client.stream)
  assert.deepEqual([client.frames, client.stream.signal.aborted], [[], true])
})

test('the stream of an active run sends new events, and ends with the run', async () => {
  await using world = await openRun('core.delay', { delayMs: 60_000 })
  const client = openClient()
  const streaming = streamRun(world.tenant, world.options, client.stream)
  await client.received(world.logged.length)
  await cancelRun(world.tenant, world.run.runId, undefined)
  await streaming
  assert.deepEqual(client.frames.slice(0, world.logged.length), world.logged)
  assert.match(client.frames.at(-1) ?? '', /run\.cancelled$/)
})

test('a client whose key was revoked gets no events that were stored later', async () => {
  await using world = await openRun('core.delay', { delayMs: 60_000 })
  const client = openClient()
  const recheck = async () => Promise.reject(new Error('the key was revoked'))
  const streaming = streamRun(world.tenant, { ...world.options, recheck }, client.stream)
  const refused = assert.rejects(streaming, /revoked/)
  await client.received(world.logged.length)
  await cancelRun(world.tenant, world.run.runId, undefined)
  await refused
  assert.deepEqual(client.frames, world.logged)
})

test('with bufferMs, events are sent in batches, and urgent events at once', async (t) => {
  await using world = await openRun('core.approvalGate')
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const client = openClient()
  const streaming = streamRun(world.tenant, { ...world.options, bufferMs: 1_000 }, client.stream)
  await client.received(1)
  const [batch] = client.data as { type: string; sequence: number }[][]
  assert.deepEqual(
    batch?.map(({ sequence, type }) => `${sequence} ${type}`),
    world.logged.slice(0, batch?.length),
  )
  assert.ok((batch?.length ?? 0) > 1)
  assert.equal(client.frames[0], `${batch?.at(-1)?.sequence} batch`)
  client.stream.end()
  await streaming
})

test('streamMode values sends the run once, also when the client has seen every event', async () => {
  await using world = await openRun()
  const client = openClient()
  const after = world.run.nextSequence - 1
  await streamRun(world.tenant, { ...world.options, after, modes: ['values'] }, client.stream)
  assert.deepEqual(client.frames, [`${after} state.snapshot`])
})

test('streamMode values sends the whole run at once and after each change', async () => {
  await using world = await openRun('core.delay', { delayMs: 60_000 })
  const client = openClient()
  const streaming = streamRun(world.tenant, { ...world.options, modes: ['values'] }, client.stream)
  await client.received(1)
  await pauseRun(world.tenant, world.run.runId, { drainPolicy: 'immediate' })
  await client.received(2)
  await cancelRun(world.tenant, world.run.runId, undefined)
  await streaming
  const statuses = (client.data as { status: string }[]).map(({ status }) => status)
  assert.deepEqual([statuses[0], statuses[1], statuses.at(-1)], [world.run.status, 'paused', 'cancelled'])
  assert.ok(client.frames.every((frame) => frame.endsWith(' state.snapshot')))
})
