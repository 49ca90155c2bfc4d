import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { openChanges } from '../support/sse.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const ref = 'agents/concierge'
const entriesOf = (memoryRef: string) => `${host}/memory/${encodeURIComponent(memoryRef)}/entries`

type Entry = { id: string; content: string; tags: string[]; createdAt: string; expiresAt?: string }

/** What a test does with one tenant. */
function compactionsOf(call: Call) {
  const put = async (content: string, rest: object = {}, memoryRef = ref): Promise<string> => {
    const { status, body, text } = await call('POST', entriesOf(memoryRef), { content, ...rest })
    assert.equal(status, 201, text)
    return body.id
  }
  const list = async (query = '', memoryRef = ref): Promise<Entry[]> =>
    (await call('GET', `${entriesOf(memoryRef)}?limit=500&${query}`)).body.entries
  const ask = (body: object = {}) => call('POST', `${host}/compactions`, { memoryRef: ref, ...body })
  const get = async (id: string) => (await call('GET', `${host}/compactions/${id}`)).body
  const compact = async (body: object = {}) => {
    const { status, body: started, text } = await ask(body)
    assert.equal(status, 202, text)
    const job = async () => (await call('GET', `${host}/jobs/${started.jobId}`)).body
    await eventually('the job has ended', async () => !['queued', 'leased'].includes((await job()).status))
    return get(started.id)
  }
  const undo = (id: string) => call('POST', `${host}/compactions/${id}:undo`)
  return { put, list, ask, get, compact, undo, call }
}

for (const storage of storagesOfBehaviour) {
  describe(`compactions on ${storage}`, () => {
    const server = useServer({ storage })
    const open = async () => compactionsOf((await server.tenant()).call)

    test('a dry run shows what would be compacted and changes nothing', async () => {
      const { put, ask, list } = await open()
      const ids = [
        await put('Ada likes tea.'),
        await put('Bob likes coffee.'),
        await put('Only one.', { subject: 'eve' }),
      ]
      const { status, body } = await ask({ dryRun: true })
      assert.equal(status, 200)
      assert.deepEqual([...body.sourceIds].sort(), ids.slice(0, 2).sort())
      assert.equal(body.sourceCount, 2)
      assert.deepEqual(body.compactions, [{ sourceCount: 2, bytes: 31, subject: null }])
      assert.equal((await list()).length, 3)
    })

    test('many entries become one that names its sources, and earlier positions read as before', async () => {
      const { put, compact, list, call } = await open()
      const ids = [
        await put('Ada likes tea.', { tags: ['taste', 'a'] }),
        await put('Bob likes coffee.', { tags: ['taste'] }),
      ]
      const { position } = (await call('GET', `${entriesOf(ref)}?limit=1`)).body
      const before = await list()
      const made = await compact()
      assert.equal(made.status, 'completed')
      assert.deepEqual(made.sourceIds, ids)
      const [output, ...others] = await list()
      assert.deepEqual(others, [])
      assert.equal(output?.id, made.outputId)
      assert.equal(output?.content, 'Ada likes tea.\nBob likes coffee.')
      assert.deepEqual(output?.tags, ['taste', 'source:compaction', `compacted-from:${made.id}`])
      assert.deepEqual(await list(`asOf=${position}`), before)

      const colophon = (await call('GET', `${entriesOf(ref)}/${made.outputId}/colophon`)).body
      assert.deepEqual(colophon.derivedFrom, {
        compactionId: made.id,
        runId: made.runId,
        summariser: 'extractive',
        sourceCount: 2,
        sourceIds: ids,
      })
      assert.ok(colophon.story.some(({ step }: { step: string }) => step === 'compacted'))
      const source = (await call('GET', `${entriesOf(ref)}/${ids[0]}/colophon`)).body
      const ended = source.story.find(({ step }: { step: string }) => step === 'ended')
      assert.equal(ended.details.outputId, made.outputId)
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      assert.deepEqual((await call('GET', `${host}/compactions`)).body.compactions, [made])
      assert.deepEqual((await call('GET', `${host}/compactions?memoryRef=other`)).body.compactions, [])
    })

    test('the log of a maintenance run records it, without content and without a node', async () => {
      const { put, compact, call } = await open()
      const ids = [await put('Ada likes tea.'), await put('Bob likes coffee.')]
      const made = await compact()
      const run = (await call('GET', `/v1/runs/${made.runId}`)).body
      assert.equal(run.workflowId, 'colophon.maintenance')
      assert.equal(run.status, 'completed')
      const { events } = (await call('GET', `/v1/runs/${made.runId}/events`, undefined, { accept: 'application/json' }))
        .body
      const logged = events.map(({ type, payload, nodeId }: Record<string, unknown>) => ({ type, payload, nodeId }))
      assert.deepEqual(logged.slice(1, 3), [
        {
          type: 'memory.written',
          payload: {
            memoryRef: ref,
            memoryId: made.outputId,
            tags: ['source:compaction', `compacted-from:${made.id}`],
          },
          nodeId: undefined,
        },
        {
          type: 'memory.compacted',
          payload: {
            memoryRef: ref,
            outputId: made.outputId,
            sourceCount: 2,
            trigger: 'client-requested',
            byteSize: made.byteSize,
            sourceIds: ids,
          },
          nodeId: undefined,
        },
      ])
      assert.deepEqual([logged[0].type, logged[3].type, logged.length], ['run.started', 'run.completed', 4])
      assert.doesNotMatch(JSON.stringify(events), /likes/)
      for (const mode of ['updates', 'debug']) {
        const path = `/v1/runs/${made.runId}/events?streamMode=${mode}`
        const shown = (await call('GET', path, undefined, { accept: 'application/json' })).body.events
        assert.ok(
          shown.some(({ type }: { type: string }) => type === 'memory.compacted'),
          mode,
        )
      }
      const fork = await call('POST', `/v1/runs/${made.runId}:fork`, { mode: 'replay', fromSeq: 0 })
      assertError(fork, 409, 'run_state')
      const started = await call('POST', '/v1/runs', { workflowId: 'colophon.maintenance' })
      assertError(started, 404, 'not_found')
    })

    test('undo restores all entries exactly, once', async () => {
      const { put, compact, list, undo, call } = await open()
      for (const content of ['one fish', 'two fish', 'red fish']) await put(content, { tags: [content] })
      const before = await list()
      const made = await compact()
      const undone = await undo(made.id)
      assert.equal(undone.status, 200, undone.text)
      assert.equal(undone.body.status, 'undone')
      assert.deepEqual(await list(), before)
      assert.deepEqual(await list('tag=two%20fish'), [before[1]])
      const again = await undo(made.id)
      assertError(again, 409, 'compaction_state')
      assert.equal(again.body.details.reason, 'already_undone')
      assertError(await undo('cmp_unknown'), 404, 'not_found')
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
      assert.equal((await compact()).status, 'completed')
    })

    test('an undo after the output was deleted is refused and changes nothing', async () => {
      const { put, compact, list, undo, call } = await open()
      for (const content of ['one fish', 'two fish']) await put(content)
      const made = await compact()
      await call('DELETE', `${entriesOf(ref)}/${made.outputId}`)
      const refused = await undo(made.id)
      assertError(refused, 409, 'compaction_state')
      assert.equal(refused.body.details.reason, 'output_changed')
      assert.deepEqual(await list(), [])
    })

    test('entries of different subjects are not mixed, an output has the earliest expiry of its sources, and outputs are not compacted again', async () => {
      const { put, compact, list, call } = await open()
      const soon = new Date(Date.now() + 3_600_000).toISOString()
      const later = new Date(Date.now() + 7_200_000).toISOString()
      for (const subject of ['ada', 'bob']) for (const n of [1, 2]) await put(`${subject} says ${n}`, { subject })
      await put('for a while', { expiresAt: later })
      await put('for a shorter while', { expiresAt: soon })
      await compact()
      const entries = await list()
      assert.deepEqual(entries.map(({ content }) => content).sort(), [
        'ada says 1\nada says 2',
        'bob says 1\nbob says 2',
        'for a while\nfor a shorter while',
      ])
      assert.deepEqual(entries.map(({ expiresAt }) => expiresAt).filter(Boolean), [soon])
      const subjects = await Promise.all(
        entries.map(async ({ id }) => (await call('GET', `${entriesOf(ref)}/${id}/colophon`)).body.subject),
      )
      assert.deepEqual(subjects.sort(), ['ada', 'bob', null])
      const again = await compact()
      assert.deepEqual([again.status, again.outputId], ['empty', null])
      await call('PATCH', '/v1/tenant/settings', { compaction: { outputs: true, tags: ['never'] } })
      assert.equal((await compact()).status, 'empty')
    })

    test('memories that decide a claim are not compacted', async () => {
      const { call, ask } = await open()
      for (const [n, content] of ['I live in Lisbon.', 'I prefer tea over coffee.'].entries()) {
        const added = await call('POST', '/v1/memories/add', {
          external_user_id: 'ada',
          infer: false,
          messages: [{ role: 'user', content, claim_key: `slot.${n}` }],
        })
        await eventually('it was ingested', async () => {
          return (await call('GET', `/v1/memories/jobs/${added.body.job_id}`)).body.status === 'completed'
        })
      }
      const { body } = await ask({ memoryRef: 'subject:ada', dryRun: true })
      assert.deepEqual([body.sourceCount, body.sourceIds], [0, []])
    })

    test('secrets are redacted from the summary and markers stay; a tenant that rejects secrets stores nothing', async () => {
      const { put, compact, list, call } = await open()
      await put('The door opens with correct-horse-battery today.')
      await put('Resolved <REDACTED:db-prod> outage.')
      await call('PUT', `${host}/secrets/door`, { value: 'correct-horse-battery' })
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'reject' })
      const refused = await compact()
      assert.deepEqual([refused.status, refused.error?.code], ['failed', 'compaction_redaction_failed'])
      assert.equal((await list()).length, 2)
      await call('PATCH', '/v1/tenant/settings', { redaction_policy: 'rewrite' })
      assert.equal((await compact()).status, 'completed')
      const [output] = await list()
      assert.equal(output?.content, 'The door opens with [REDACTED:door] today.\nResolved [REDACTED:db-prod] outage.')
    })

    test('the change stream reports it as compacted, and an idempotency key makes a request take effect once', async () => {
      const tenant = await server.tenant()
      const { put, ask, get, call } = compactionsOf(tenant.call)
      for (const content of ['one fish', 'two fish']) await put(content)
      const body = { memoryRef: ref }
      const first = await call('POST', `${host}/compactions`, body, { 'idempotency-key': 'k1' })
      const second = await call('POST', `${host}/compactions`, body, { 'idempotency-key': 'k1' })
      assert.deepEqual(second.body, first.body)
      await eventually('it is done', async () => (await get(first.body.id)).status === 'completed')
      const { outputId, sourceIds } = await get(first.body.id)
      await using changes = await openChanges(server.url, tenant.key, { after: 0 })
      await changes.until('it is sent', (events) => events.length >= 3)
      const { position: _position, at: _at, ...change } = changes.events.at(-1)?.data ?? {}
      const entryIds = [outputId, ...sourceIds]
      assert.deepEqual(change, { kind: 'compacted', memoryRef: ref, entryIds, reason: 'compacted' })
      const { records } = (await call('GET', `${host}/audit?limit=500`)).body
      assert.equal(records.filter(({ kind }: { kind: string }) => kind === 'memory.compacted').length, 1)
      assertError(await ask({ maxInputEntries: 1 }), 400, 'validation_error')
      assertError(await ask({ maxOutputBytes: 10 }), 400, 'validation_error')
      assertError(await ask({ memoryRef: '../x' }), 400, 'validation_error')
      assertError(await ask({ unknown: 1 }), 400, 'validation_error')
    })

    test('budgets are respected, and a long ref is compacted group by group', async () => {
      const { put, compact, list, call } = await open()
      for (let n = 0; n < 23; n++)
        await put(`Customer ${n} pays ${n * 7} EUR on day ${n} of the month for the service.`)
      const made = await compact({ maxInputEntries: 10, maxOutputBytes: 256, keepNewest: 1 })
      assert.equal(made.sourceCount, 10)
      const entries = await list()
      assert.equal(entries.length, 4)
      for (const { content } of entries) assert.ok(Buffer.byteLength(content) <= 256)
      const { compactions } = (await call('GET', `${host}/compactions?limit=2`)).body
      assert.deepEqual(
        compactions.map(({ sourceCount }: { sourceCount: number }) => sourceCount),
        [2, 10],
      )
    })

    test('a cursor that no page returned is refused', async () => {
      const { call } = await open()
      for (const cursor of ['abc', 'mem_1', 'cmp_', 'cmp_1'])
        assertError(await call('GET', `${host}/compactions?cursor=${cursor}`), 400, 'validation_error')
    })

    test('another tenant sees nothing of it and cannot undo it', async () => {
      const { put, compact } = await open()
      for (const content of ['one fish', 'two fish']) await put(content)
      const made = await compact()
      const stranger = await open()
      assertError(await stranger.call('GET', `${host}/compactions/${made.id}`), 404, 'not_found')
      assertError(await stranger.undo(made.id), 404, 'not_found')
      assert.deepEqual((await stranger.call('GET', `${host}/compactions`)).body.compactions, [])
    })
  })
}
