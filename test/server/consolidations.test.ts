import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forgotten } from '../forget/calls.ts'
import { tracesOf } from '../forget/traces.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { createHome, type Home, startServer, type TestServer } from '../support/server.ts'

after(releaseServer)

const host = '/v1/host/colophon'

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`consolidation over HTTP on ${storage}`, () => {
    let home: Home
    let server: TestServer
    before(async () => {
      home = await createHome(storage)
      server = await startServer({ home })
    })
    after(async () => {
      await server[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    })

    /** A ref with a text that two entries have, and another text; consolidated. */
    async function merged(call: Awaited<ReturnType<TestServer['tenant']>>['call'], words: string) {
      const put = async (content: string, more = {}) =>
        (await call('POST', `${host}/memory/notes/entries`, { content, ...more })).body.id as string
      const ids = [await put(`Ada keeps ${words} in the safe.`), await put('Bob lives in Porto.')]
      ids.push(await put(`ADA keeps ${words} in the safe!`, { tags: ['second'] }))
      const { status, body } = await call('POST', `${host}/consolidations`, { memoryRef: 'notes' })
      assert.equal(status, 202)
      await eventually('the pass was made', async () => {
        const { body: job } = await call('GET', `${host}/jobs/${body.jobId}`)
        return job.status === 'completed'
      })
      return { ids, runId: body.runId as string }
    }

    const list = async (call: Awaited<ReturnType<TestServer['tenant']>>['call']) =>
      (await call('GET', `${host}/memory/notes/entries`)).body.entries as { id: string; content: string }[]

    test('a merge is a compaction with a reason; its run has the event; an export carries it to another tenant', async () => {
      const { call } = await server.tenant()
      const { ids, runId } = await merged(call, 'a blue key')
      const { compactions } = (await call('GET', `${host}/compactions?memoryRef=notes`)).body
      assert.deepEqual(
        compactions.map((made: Record<string, unknown>) => [made.reason, made.sourceIds, made.runId]),
        [['duplicate', [ids[0], ids[2]], runId]],
      )
      const { events } = (await call('GET', `/v1/runs/${runId}/events/poll?timeout=0`)).body
      assert.deepEqual(
        events.map(({ type }: { type: string }) => type),
        ['run.started', 'memory.written', 'agent.memory.consolidated', 'run.completed'],
      )
      assert.ok(!JSON.stringify(events).includes('blue key'))
      const fork = await call('POST', `/v1/runs/${runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assert.ok(fork.status >= 400, 'a pass is never repeated by a replay')
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      const file = (await call('GET', `${host}/export`)).text
      const other = await server.tenant()
      const ndjson = { 'content-type': 'application/x-ndjson' }
      assert.equal((await other.call('POST', `${host}/import`, file, ndjson)).status, 200)
      const { compactions: carried } = (await other.call('GET', `${host}/compactions?memoryRef=notes`)).body
      assert.deepEqual(
        carried.map((made: Record<string, unknown>) => [made.id, made.reason, made.sourceIds]),
        compactions.map((made: Record<string, unknown>) => [made.id, made.reason, made.sourceIds]),
      )
    })

    test('forgetting one source brings the other back, and forgetting both leaves no byte', async () => {
      const { call } = await server.tenant()
      const words = 'kestrel-4f1c9a77b2e6d035'
      const { ids } = await merged(call, words)
      assert.equal((await list(call)).length, 2)
      await forgotten(call, { tag: 'second' })
      assert.deepEqual((await list(call)).map(({ id }) => id).toSorted(), [ids[0], ids[1]].toSorted())
      assert.notDeepEqual(await tracesOf(home, words), [], 'the check can find it')
      await forgotten(call, { memoryRef: 'notes' })
      assert.deepEqual(await list(call), [])
      assert.deepEqual(await tracesOf(home, words), [])
    })

    test('a ref of files, an unknown member, a missing ref and a model that is not there are refused', async () => {
      const { call } = await server.tenant()
      for (const body of [
        { memoryRef: 'workspace:files' },
        { memoryRef: 'notes', minAge: 1 },
        { memoryRef: 'notes', model: true },
        {},
      ]) {
        const answer = await call('POST', `${host}/consolidations`, body)
        assert.equal(answer.status, 400, JSON.stringify(answer.body))
      }
    })
  })
}
