import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { openRaw } from '../support/raw-http.ts'
import { type Call, createHome, startServer, storagesOfBehaviour } from '../support/server.ts'
import { startServerProcess } from '../support/server-process.ts'
import { openRequests } from '../support/sse.ts'
import { isThorough } from '../support/thorough.ts'
import {
  chain,
  delay,
  ended,
  eventsOf,
  gate,
  host,
  keyed,
  put,
  type RunEvent,
  register,
  startWaiting,
} from './runs-calls.ts'

after(releaseServer)

const stopMsMax = 10_000
const notes = `${host}/memory/notes/entries`
const document = chain('remembers', [
  delay(),
  put('keep', 'of {{inputs.index}}'),
  delay('rest'),
  put('more', 'more of {{inputs.index}}'),
])

async function statuses(call: Call): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (let cursor = ''; ; ) {
    const page = (await call('GET', `${host}/runs?limit=500${cursor}`)).body
    for (const { status } of page.runs) counts[status] = (counts[status] ?? 0) + 1
    if (page.cursor === undefined) return counts
    cursor = `&cursor=${page.cursor}`
  }
}

async function contents(call: Call): Promise<string[]> {
  const { entries } = (await call('GET', `${notes}?limit=500`)).body
  return entries.map(({ content }: { content: string }) => content).sort()
}

const expected = (count: number) =>
  Array.from({ length: count }, (_, index) => [`of ${index}`, `more of ${index}`])
    .flat()
    .sort()

/** Every event once, in order, and the last one last. */
function assertWhole(events: readonly RunEvent[]): void {
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, index) => index),
  )
  const types = events.map(({ type }) => type)
  assert.deepEqual(
    types.filter((type) => /^run\.(completed|failed|cancelled)$/.test(type)),
    ['run.completed'],
  )
  assert.equal(types.at(-1), 'run.completed')
  for (const type of ['run.started', 'node.started', 'node.completed', 'memory.written'])
    assert.equal(
      types.filter((found) => found === type).length,
      { 'run.started': 1, 'node.started': 4, 'node.completed': 4 }[type] ?? 3,
    )
}

for (const storage of storagesOfBehaviour) {
  const count = isThorough && storage === 'sqlite' ? 200 : 60
  test(`${count} concurrent runs all complete on ${storage}, and each effect happens once`, async () => {
    await using server = await startServer({ storage })
    const { call } = await server.tenant()
    await register(call, document)
    const start = (index: number) =>
      call('POST', '/v1/runs', { workflowId: 'remembers', inputs: { ms: index % 50, index } })
    const started = await Promise.all(Array.from({ length: count }, (_, index) => start(index)))
    for (const { status, text } of started) assert.equal(status, 201, text)
    const runIds = new Set(started.map(({ body }) => body.runId as string))
    assert.equal(runIds.size, count)
    await eventually('all have completed', async () => (await statuses(call)).completed === count)
    assert.deepEqual(await contents(call), expected(count))
    for (const runId of runIds) assertWhole(await eventsOf(call, runId))
    assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
  })

  test(`a server on ${storage} that is stopped during runs exits in time, and the next server resumes them`, async () => {
    await using home = await createHome(storage)
    await using first = await startServerProcess({ home })
    const env = { COLOPHON_BOOTSTRAP_KEY: first.key }
    await register(first.call, document)
    await register(first.call, chain('asks', [gate(), put('answered', 'answered')]))
    const asked = await startWaiting(first.call, 'asks')
    const many = 60
    // Each on a connection of its own: how long the server keeps idle ones is not what this is about.
    const headers = (index: number) => ({ ...keyed(`run ${index}`), connection: 'close' })
    const start = (call: Call, index: number) =>
      call('POST', '/v1/runs', { workflowId: 'remembers', inputs: { ms: index * 10, index } }, headers(index))
    // Some have ended, some wait, some have just started, and some have no response yet when the server gets the stop signal.
    const starts = Array.from({ length: many }, (_, index) => start(first.call, index).catch(() => null))
    await Promise.all(starts.slice(0, many / 2))
    const stoppedAt = Date.now()
    assert.deepEqual(await first.stop(), { code: 0, signal: null }, first.logs())
    assert.ok(Date.now() - stoppedAt < stopMsMax, `it took ${Date.now() - stoppedAt} ms`)
    const answered = await Promise.all(starts)

    await using next = await startServer({ home, env })
    const { call } = next
    // A client without a response retries with the same key, and gets the one run.
    const again = await Promise.all(Array.from({ length: many }, (_, index) => start(call, index)))
    for (const [index, { status, text, body }] of again.entries()) {
      assert.equal(status, 201, text)
      if (answered[index]?.status === 201) assert.equal(body.runId, answered[index]?.body.runId)
    }
    await call('POST', `/v1/runs/${asked}/interrupts/gate`, { resumeValue: { action: 'accept' } })
    await eventually('all have completed', async () => (await statuses(call)).completed === many + 1)
    assert.deepEqual(await contents(call), [...expected(many), 'answered'].sort())
    for (const { body } of again) assertWhole(await eventsOf(call, body.runId))
    assert.equal((await ended(call, asked)).status, 'completed')
  })
}

test('a server that is stopped does not wait for idle connections', async () => {
  await using server = await startServerProcess()
  await register(server.call, document)
  const body = JSON.stringify({ workflowId: 'remembers', inputs: { ms: 0, index: 0 } })
  const connection = await openRaw(server.url)
  const head = `Host: localhost\r\nAuthorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  connection.send(`POST /v1/runs HTTP/1.1\r\n${head}\r\n\r\n${body.slice(0, 10)}`)
  await eventually('the server works on the request', async () => (await openRequests(server.url)) >= 1)
  const stopped = server.stop()
  await eventually('it takes no new connections', () =>
    fetch(`${server.url}/healthz`).then(
      () => false,
      () => true,
    ),
  )
  connection.send(body.slice(10))
  await connection.until('the answer', (text) => text.includes('run_'))
  const answered = Date.now()
  assert.deepEqual(await stopped, { code: 0, signal: null })
  // Nothing was left to do. A drain in full takes nine seconds.
  assert.ok(Date.now() - answered < 7_000, `it waited for ${Date.now() - answered} ms`)
  connection.destroy()
})
