import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { openModel } from '../../adapters/model/open.ts'
import { cancelRun, pauseRun } from '../../app/runs/control.ts'
import type { EventStream } from '../../http/sse.ts'
import { type RunStreamOptions, streamRun } from './run-stream.ts'

/** A client of the stream: it notes the type and the id of each frame. */
function openClient() {
  const frames: string[] = []
  const data: unknown[] = []
  const closed = new AbortController()
  const waiting: { count: number; resolve: () => void }[] = []
  const stream: EventStream = {
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
  const world = openUseCases(openModel)
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
  }
  return { ...world, run, options, logged: events.map(({ sequence, type }) => `${sequence} ${type}`) }
}

test('the stream of an ended run has its whole log, each event by its sequence, and ends', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, world.options, client.stream)
  assert.deepEqual([client.frames, client.stream.signal.aborted], [world.logged, true])
})

test('a client that comes back gets what follows the last event it has seen', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, { ...world.options, after: 1 }, client.stream)
  assert.deepEqual(client.frames, world.logged.slice(2))
})

test('a client that has seen more than there is gets nothing of an ended run, and its stream ends', async () => {
  await using world = await openRun()
  const client = openClient()
  await streamRun(world.tenant, { ...world.options, after: 1_000 }, client.stream)
  assert.deepEqual([client.frames, client.stream.signal.aborted], [[], true])
})

test('the stream of a run under way goes on with what is stored, and ends with the run', async () => {
  await using world = await openRun('core.delay', { delayMs: 60_000 })
  const client = openClient()
  const streaming = streamRun(world.tenant, world.options, client.stream)
  await client.received(world.logged.length)
  await cancelRun(world.tenant, world.run.runId, undefined)
  await streaming
  assert.deepEqual(client.frames.slice(0, world.logged.length), world.logged)
  assert.match(client.frames.at(-1) ?? '', /run\.cancelled$/)
})

test('a client whose key is refused meanwhile gets nothing of what was stored since', async () => {
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

test('events of a client that asked for a buffer come together, and urgent ones at once', async (t) => {
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

test('a client of values that has seen every event gets the run once all the same', async () => {
  await using world = await openRun()
  const client = openClient()
  const after = world.run.nextSequence - 1
  await streamRun(world.tenant, { ...world.options, after, modes: ['values'] }, client.stream)
  assert.deepEqual(client.frames, [`${after} state.snapshot`])
})

test('a client of values gets the whole run at once and after each change', async () => {
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
