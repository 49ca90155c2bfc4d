import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from '../../src/core/limits.ts'
import { assertError } from '../support/envelope.ts'
import { type PublishedSchemas, publishedSchemas } from '../support/published-v2.ts'
import { bare, newKey, segment, useRunsOfV2 } from './openwop-v2-calls.ts'
import { chain, keyed, noop, put, register, startRun } from './runs-calls.ts'

type Body = Readonly<Record<string, unknown>>

const published: PublishedSchemas | null = publishedSchemas()

function check(schema: string, document: unknown): void {
  if (published !== null) assert.equal(published.problemOf(schema, document), null, JSON.stringify(document))
}

describe('runs in version 2', () => {
  const { server, call, tenantId, start, read, poll, untilStatus, untilEnded } = useRunsOfV2()

  test('a run is created, read and listed under its bound id, in closed documents', async () => {
    const made = await call('POST', '/runs', { workflowId: 'visit', tags: ['odd: ☕/'], metadata: { a: { b: [1] } } })
    assert.equal(made.status, 201)
    const { runId, eventsUrl, statusUrl } = made.body
    assert.match(runId, new RegExp(`^${tenantId()}/run_`))
    assert.deepEqual([eventsUrl, statusUrl], [`/runs/${segment(runId)}/events`, `/runs/${segment(runId)}`])
    await untilEnded(runId)
    const seen = await call('GET', statusUrl)
    check('run-snapshot.schema.json', seen.body)
    assert.deepEqual([seen.body.tags, seen.body.metadata], [['odd: ☕/'], { a: { b: [1] } }])
    assert.equal(seen.body.eventLogSchemaVersion, 3)
    const etag = seen.headers.get('etag') ?? ''
    assert.match(etag, /^"/)
    assert.equal((await call('GET', statusUrl, undefined, { 'if-none-match': etag })).status, 304)
    const page = (await call('GET', '/runs?limit=1')).body
    assert.equal(page.runs.length, 1)
    check('run-snapshot.schema.json', page.runs[0])
  })

  test('a page of runs is followed by its cursor; a cursor of another tenant is refused', async () => {
    await Promise.all([start('visit'), start('visit'), start('visit')])
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const query: string = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await call('GET', `/runs?limit=2${query}`)
      seen.push(...body.runs.map((run: { runId: string }) => run.runId))
      cursor = body.nextCursor
    } while (cursor !== undefined)
    assert.equal(new Set(seen).size, seen.length)
    assert.deepEqual(seen, seen.toSorted().reverse(), 'newest first')
    assertError(await call('GET', `/runs?cursor=other%2F${bare(seen[0] as string)}`), 400, 'validation_error')
  })

  test('a page of large runs is cut at its bytes, and its cursor leads on', async () => {
    const { call } = await server.tenant()
    const variables = [{ name: 'long', type: 'string', defaultValue: 'x'.repeat(230_000) }]
    await register(call, chain('large', [noop()], { variables }))
    const made = await Promise.all(Array.from({ length: 12 }, () => startRun(call, 'large')))
    const first = (await call('GET', '/runs')).body
    assert.equal(first.runs.length, Math.ceil(limits.runListBytes / 230_000))
    const second = (await call('GET', `/runs?cursor=${encodeURIComponent(first.nextCursor)}`)).body
    assert.deepEqual([first.runs.length + second.runs.length, second.nextCursor], [made.length, undefined])
  })

  test('a run of one wire reads the same on the other', async () => {
    const [ofV1, ofV2] = [await startRun(call, 'visit'), bare(await start('visit'))]
    for (const runId of [ofV1, ofV2]) {
      const run = await untilEnded(`${tenantId()}/${runId}`)
      const shown = await read(`${tenantId()}/${runId}`)
      assert.deepEqual([run.eventLogSchemaVersion, shown.eventLogSchemaVersion], [2, 3], 'each has its own number')
      assert.deepEqual([shown.status, shown.variables, shown.workflowId], [run.status, run.variables, run.workflowId])
      const log = (await call('GET', `/v1/runs/${runId}/events/poll?timeout=0`)).body
      const { events } = await poll(`${tenantId()}/${runId}`)
      assert.deepEqual(
        events.map(({ type, sequence, timestamp, eventId }: Record<string, unknown>) => [
          type,
          sequence,
          timestamp,
          eventId,
        ]),
        log.events.map(({ type, sequence, timestamp, eventId }: Record<string, unknown>) => [
          type,
          sequence,
          timestamp,
          eventId,
        ]),
      )
      for (const event of events) {
        check('run-event.schema.json', event)
        check(`run-event-payloads.schema.json#/$defs/${published?.payloadOf[event.type]}`, event.payload)
      }
    }
  })

  test('a body of version 1 is refused with the name of version 2', async () => {
    const refuse = async (body: object, field: string, words: RegExp) => {
      const answer = await call('POST', '/runs', { workflowId: 'visit', ...body })
      assertError(answer, 400, 'validation_error')
      assert.equal(answer.body.details.field, field)
      assert.match(answer.body.message, words)
    }
    await refuse(
      { configurable: { version: 1, recursionLimit: 5 } },
      'configurable.recursionLimit',
      /configurable\.run\./,
    )
    await refuse({ trust: 'untrusted' }, 'trust', /version 1/)
    await refuse({ unknown: 1 }, 'unknown', /unknown is not a member/)
    await refuse({ configurable: { 'a.b': 1, version: 1 } }, 'configurable.*', /not a member/)
    await refuse({ callbackUrl: 'https://example.com' }, 'callbackUrl', /not supported/)
    await refuse({ tags: Array.from({ length: 101 }, () => 't') }, 'tags', /100/)
    await refuse({ tags: ['x'.repeat(257)] }, 'tags', /256/)
    const grouped = await start('visit', { configurable: { version: 1, run: { recursionLimit: 5 } } })
    assert.deepEqual((await read(grouped)).configurable, { version: 1, run: { recursionLimit: 5 } })
    assertError(await call('POST', '/runs', { workflowId: 'visi~74' }), 404, 'not_found')
    assertError(await call('POST', '/runs', { workflowId: 'visit' }, { 'openwop-force-engine-version': '1' }), 403)
  })

  test('a provider of models is refused, because discovery shows none', async () => {
    assert.equal(
      (await call('GET', '/.well-known/openwop', undefined, { 'openwop-version': '2.0' })).body.aiProviders,
      undefined,
    )
    const start = (ai: object) => call('POST', '/runs', { workflowId: 'visit', configurable: { version: 1, ai } })
    for (const [ai, status, code, name] of [
      [{ provider: 'acme' }, 400, 'validation_error', 'provider'],
      [{ credentialRef: 'acme/key' }, 403, 'credential_forbidden', 'credentialRef'],
      [{ mockProvider: {} }, 403, 'mock_provider_forbidden', 'mockProvider'],
    ] as const) {
      const answer = await start(ai)
      assertError(answer, status, code)
      assert.equal(answer.body.details.field, `configurable.ai.${name}`)
    }
    assert.equal((await start({ temperature: 1, maxTokens: 5, model: 'any' })).status, 201)
  })

  test('runs can be asked for that are being cancelled: there are none, because a cancel is one commit', async () => {
    const answer = await call('GET', '/runs?status=cancelling')
    assert.deepEqual([answer.status, answer.body], [200, { runs: [] }])
    assertError(await call('GET', '/runs?status=unknown'), 400, 'validation_error')
    assertError(await call('GET', '/runs?status=cancelling&cursor=none'), 400, 'validation_error')
  })

  test('the poll has five members, an exclusive cursor, and an empty page past the end', async () => {
    const runId = await start('visit')
    await untilEnded(runId)
    const all = await poll(runId)
    assert.deepEqual(Object.keys(all).sort(), ['events', 'isTerminal', 'lastSequence', 'runId', 'status'])
    assert.deepEqual([all.events[0].sequence, all.lastSequence], [0, all.events.length - 1])
    assert.equal((await poll(runId, 'afterSequence=0')).events[0].sequence, 1)
    assert.deepEqual((await poll(runId, 'afterSequence=900')).events, [])
    assertError(await call('GET', `/runs/${segment(runId)}/events/poll?lastSequence=1`), 400, 'validation_error')
    assertError(await call('GET', `/runs/${segment(runId)}/events/poll?timeout=0`), 400, 'validation_error')
  })

  test('the stream has memory events in debug only, resumes after an event, and closes', async () => {
    const runId = await start('visit')
    await untilEnded(runId)
    const frames = async (query: string, headers: Record<string, string> = {}) => {
      const { status, text } = await call('GET', `/runs/${segment(runId)}/events?${query}`, undefined, headers)
      assert.equal(status, 200, text)
      return [...text.matchAll(/^id: (\d+)\nevent: (\S+)$/gm)].map(([, id, type]) => `${id} ${type}`)
    }
    const { events } = await poll(runId)
    const logged = events.map(({ sequence, type }: { sequence: number; type: string }) => `${sequence} ${type}`)
    assert.deepEqual(await frames('streamMode=debug'), logged)
    assert.deepEqual(await frames('streamMode=debug', { 'last-event-id': '0' }), logged.slice(1))
    assert.deepEqual(await frames('streamMode=debug', { 'last-event-id': String(logged.length + 1000) }), [])
    const updates = await frames('')
    assert.ok(updates.includes(logged.at(-1)) && !updates.some((frame) => frame.includes('memory.')))
    assert.match((await frames('streamMode=values'))[0] ?? '', /state\.snapshot$/)
    const path = `/runs/${segment(runId)}/events`
    const mode = await call('GET', `${path}?streamMode=values,debug`)
    assertError(mode, 400, 'unsupported_stream_mode')
    assert.ok(mode.body.details.supported.includes('debug'))
    assertError(await call('GET', path, undefined, { 'last-event-id': 'abc' }), 400, 'validation_error')
    const unknown = `/runs/${tenantId()}~2Frun_00000000-0000-7000-8000-000000000000/events`
    const [without, withId] = [
      await call('GET', unknown),
      await call('GET', unknown, undefined, { 'last-event-id': 'abc' }),
    ]
    assert.deepEqual([without.status, without.body], [withId.status, withId.body])
  })

  test('a run is cancelled once, paused and resumed; refusals name the state', async () => {
    const runId = await start('waits', { inputs: { ms: 600_000 } })
    await untilStatus(runId, 'running')
    const path = `/runs/${segment(runId)}`
    const paused = await call('POST', `${path}:pause`, { drainPolicy: 'immediate' })
    assert.deepEqual([paused.status, paused.body.status, paused.body.runId], [202, 'paused', runId])
    const again = await call('POST', `${path}:pause`, {})
    assertError(again, 409, 'run_state_conflict')
    assert.equal(again.body.details.runStatus, 'paused')
    const key = keyed(newKey())
    const resume = () => call('POST', `${path}:resume`, {}, key)
    assert.ok((await resume()).body.resumedAt)
    assert.deepEqual((await resume()).body, { runId, status: 'running' }, 'a repeat has no instant of its own')
    const cancelled = await call('POST', `${path}/cancel`, { reason: 'Enough.' })
    assert.deepEqual([cancelled.status, cancelled.body], [200, { runId, status: 'cancelled' }])
    for (const verb of ['/cancel', ':pause', ':resume'])
      assertError(await call('POST', path + verb, {}), 409, 'run_terminal')
  })

  test('many runs are cancelled in order, each with its own outcome', async () => {
    const [a, b] = [await start('asks'), await start('asks')]
    const answer = await call('POST', '/runs:bulk-cancel', { runIds: [a, `other/${bare(a)}`, b] })
    assert.equal(answer.status, 200)
    const [first, foreign, last] = answer.body.results
    assert.deepEqual(
      [first, last],
      [a, b].map((runId) => ({ runId, ok: true, status: 'cancelled' })),
    )
    assert.deepEqual([foreign.ok, foreign.error.error], [false, 'id_tenant_mismatch'])
    check('error-envelope.schema.json', foreign.error)
    const [over] = (await call('POST', '/runs:bulk-cancel', { runIds: [a] })).body.results
    assert.deepEqual([over.ok, over.error.error], [false, 'run_terminal'])
    const draft = { runIds: [await start('asks'), a, `other/${bare(a)}`] }
    const key = keyed(newKey())
    const once = await call('POST', '/runs:bulk-cancel', draft, key)
    assert.deepEqual(
      once.body.results.map(({ ok }: { ok: boolean }) => ok),
      [true, false, false],
    )
    assert.deepEqual((await call('POST', '/runs:bulk-cancel', draft, key)).body, once.body)
    const fewer = { runIds: draft.runIds.slice(0, 2) }
    assertError(await call('POST', '/runs:bulk-cancel', fewer, key), 409, 'idempotency_key_mismatch')
    const many = await call('POST', '/runs:bulk-cancel', { runIds: Array.from({ length: 101 }, () => a) })
    assertError(many, 400, 'validation_error')
    assert.equal(many.body.details.maxRunIds, 100)
  })

  test('a fork inherits exactly the events before fromSeq and starts the node again', async () => {
    const runId = await start('visit')
    await untilEnded(runId)
    const { events } = await poll(runId)
    const fromSeq = events.findIndex(({ type }: { type: string }) => type === 'node.completed')
    for (const mode of ['branch', 'replay']) {
      const forked = await call('POST', `/runs/${segment(runId)}:fork`, { mode, fromSeq })
      assert.deepEqual(
        [forked.status, forked.body.sourceRunId, forked.body.fromSeq],
        [201, runId, fromSeq],
        forked.text,
      )
      await untilEnded(forked.body.runId)
      const log = (await poll(forked.body.runId)).events
      const shape = ({ type, nodeId, payload }: Record<string, unknown>) => ({ type, nodeId, payload })
      assert.deepEqual(log.slice(0, fromSeq).map(shape), events.slice(0, fromSeq).map(shape))
      assert.equal(log[fromSeq].type, 'node.started')
      const snapshot = await read(forked.body.runId)
      assert.deepEqual([snapshot.parentRunId, snapshot.owner], [runId, (await read(runId)).owner])
      const diff = await call('GET', `/runs/${segment(runId)}:diff?against=${encodeURIComponent(forked.body.runId)}`)
      assert.deepEqual([diff.status, diff.body.divergedAtSeq], [200, fromSeq])
    }
    const refuse = async (body: object, status: number, code: string) =>
      assertError(await call('POST', `/runs/${segment(runId)}:fork`, body), status, code)
    await refuse({ mode: 'branch', fromSeq: events.length }, 422, 'fork_point_invalid')
    await refuse({ mode: 'replay', fromSeq: 999_999 }, 422, 'fork_point_invalid')
    await refuse({ mode: 'replay', runOptionsOverlay: {} }, 400, 'validation_error')
    await refuse({ mode: 'branch' }, 400, 'validation_error')
  })

  test('the effects of a run are its writes, without content; a replay has none', async () => {
    const runId = await start('visit')
    await untilEnded(runId)
    const { status, body } = await call('GET', `/runs/${segment(runId)}/effects`)
    assert.deepEqual([status, body.effects.length, body.effects[0].nodeId], [200, 1, 'keep'])
    check('effect-ledger-projection.schema.json', body)
    const distill = { id: 'distill', typeId: 'colophon.memory.distill', config: { memoryRef: 'notes' } }
    const file = { id: 'file', typeId: 'colophon.workspace.put', config: { path: 'a.md', content: 'x' } }
    await register(call, chain('archives', [put('keep', 'tea'), distill, file]))
    const twice = [await start('archives'), await start('archives')]
    for (const id of twice) await untilEnded(id)
    const [one, two] = await Promise.all(
      twice.map(async (id) => (await call('GET', `/runs/${segment(id)}/effects`)).body.effects as Body[]),
    )
    assert.deepEqual(
      one?.map(({ nodeId, keying }) => [nodeId, keying]),
      [
        ['keep', 'activity-recipe'],
        ['distill', 'business-identity'],
        ['file', 'activity-recipe'],
      ],
    )
    assert.notEqual(one?.[0]?.effectId, two?.[0]?.effectId)
    const replay = await call('POST', `/runs/${segment(twice[0] ?? '')}:fork`, { mode: 'replay' })
    await untilEnded(replay.body.runId)
    assert.deepEqual((await call('GET', `/runs/${segment(replay.body.runId)}/effects`)).body.effects, [])
    const manifest = (await call('GET', '/host/effect-seams')).body
    check('effect-seam-manifest.schema.json', manifest)
    const kinds = manifest.seams.map(({ seam, kind }: { seam: string; kind: string }) => [seam, kind])
    assert.deepEqual(kinds, [
      ['webhook.fanout', 'webhook-fanout'],
      ['memory.write', 'storage'],
      ['workspace.write', 'storage'],
      ['distillation.archive', 'storage'],
      ['model.complete', 'provider-sdk'],
    ])
  })

  test('an idempotency key has 22 characters or more, and belongs to one operation', async () => {
    assertError(await call('POST', '/runs', { workflowId: 'visit' }, keyed('short')), 400, 'idempotency_key_invalid')
    const key = newKey()
    const first = await call('POST', '/runs', { workflowId: 'asks' }, keyed(key))
    const again = await call('POST', '/runs', { workflowId: 'asks' }, keyed(key))
    assert.deepEqual([again.status, again.body.runId], [201, first.body.runId])
    assert.equal(again.headers.get('openwop-idempotent-replay'), 'true')
    assertError(await call('POST', '/runs', { workflowId: 'visit' }, keyed(key)), 409, 'idempotency_key_mismatch')
    const cancel = `/runs/${segment(first.body.runId)}/cancel`
    assert.equal((await call('POST', cancel, {}, keyed(key))).status, 200, 'another operation')
    assert.equal((await call('POST', cancel, {}, keyed(key))).status, 200, 'the repeated call')
    assertError(await call('POST', cancel, {}, keyed(newKey())), 409, 'run_terminal')
    const shared = newKey()
    const ofV1 = await call('POST', '/v1/runs', { workflowId: 'visit' }, keyed(`createRun:${shared}`))
    const ofV2 = await call('POST', '/runs', { workflowId: 'visit' }, keyed(shared))
    assert.notEqual(bare(ofV2.body.runId), ofV1.body.runId, 'version 1 has keys of its own')
    const racing = newKey()
    const both = await Promise.all([1, 2].map(() => call('POST', '/runs', { workflowId: 'visit' }, keyed(racing))))
    assert.deepEqual([both[0]?.body.runId, both.map(({ status }) => status)], [both[1]?.body.runId, [201, 201]])
    assert.equal((await call('GET', '/runs', undefined, keyed('short'))).status, 200, 'reads ignore it')
  })

  test('one run of a scope at a time, and the other is named with its tenant', async () => {
    const dedup = { 'openwop-dedup': 'enforce' }
    const first = await call('POST', '/runs', { workflowId: 'asks', scopeId: 'one' }, dedup)
    const second = await call('POST', '/runs', { workflowId: 'asks', scopeId: 'one' }, dedup)
    assertError(second, 409, 'run_already_active')
    assert.equal(second.body.details.activeRunId, first.body.runId)
    assert.ok(second.headers.get('retry-after'))
  })

  test('a sub-workflow that is not loaded is a fault of the config; its end names the child', async () => {
    const child = (workflowId: string) => ({ id: 'child', typeId: 'core.subWorkflow', config: { workflowId } })
    await register(call, chain('calls', [child('visit')]))
    await register(call, chain('calls-nothing', [child('not-loaded')]))
    const good = await start('calls')
    await untilEnded(good)
    const done = (await poll(good)).events.find(({ type }: { type: string }) => type === 'node.completed')
    assert.match(done.payload.outputs.childRunId, new RegExp(`^${tenantId()}/run_`))
    assert.equal(done.payload.outputs.childStatus, 'completed')
    const bad = await start('calls-nothing')
    await untilEnded(bad)
    assert.equal((await read(bad)).error.code, 'node_config_invalid')
  })

  test('an unregistered code of a workflow is kept in the details', async () => {
    const runId = await start('fails')
    await untilEnded(runId)
    const { error } = await read(runId)
    assert.deepEqual([error.code, error.details.code], ['internal_error', 'out_of_tea'])
  })
})
