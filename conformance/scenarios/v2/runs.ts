// Version 2: creating, reading, controlling and forking runs.
import { at, isObject, type JsonObject, type RunEventDoc } from '../../harness.ts'
import { isEnded, scenarioV2, segmentOf, two, type V2 } from '../../v2.ts'

const facts = 'v2 5, 7, 14'
const noop = { workflowId: 'conformance-noop' }

const act = (v2: V2, runId: string, verb: string, body: unknown = {}) =>
  v2.http('POST', `/runs/${segmentOf(runId)}${verb}`, { body })

const prefixOf = (events: readonly RunEventDoc[], to: number) =>
  events.slice(0, to).map(({ type, nodeId, payload }) => ({ type, nodeId: nodeId ?? null, payload }))

export const scenarios = [
  scenarioV2('v2-era-key', facts, 'A new run has the era that discovery names', async (check, v2) => {
    v2.needs('eventLog')
    check.equal(v2.discovery.eventLogSchemaVersion, 3, 'the era of discovery')
    const snapshot = await v2.snapshot(await v2.createRun(noop))
    check.equal(snapshot.eventLogSchemaVersion, 3, 'the era of a new run')
    check.ok(Number.isInteger(snapshot.engineVersion), 'engineVersion is an integer')
  }),

  scenarioV2('v2-era-stamp-universal', facts, 'Every way to make a run gives it the same era', async (check, v2) => {
    v2.needs('eventLog')
    const era = async (runId: string) => (await v2.snapshot(runId)).eventLogSchemaVersion
    const source = await v2.completedRun(noop)
    check.equal(await era(source), v2.discovery.eventLogSchemaVersion, 'a run of version 2')
    if (isObject(v2.discovery.replay)) {
      const forked = await act(v2, source, ':fork', { mode: 'replay', fromSeq: 0 })
      check.equal(forked.status, 201, 'a fork')
      check.equal(await era(String(forked.body.runId)), 3, 'a fork')
    }
    const old = await check.http('POST', '/v1/runs', { body: noop })
    if (old.status === 201) check.equal(await era(String(old.body.runId)), 3, 'a run of version 1')
  }),

  scenarioV2('v2-run-cancel', facts, 'A run is cancelled once, and a terminal one is refused', async (check, v2) => {
    const done = await v2.completedRun(noop)
    v2.refused(await act(v2, done, '/cancel'), 409, 'run_terminal', 'the cancellation of a terminal run')
    const runId = await v2.createRun({ workflowId: 'conformance-cancellable', inputs: { delayMs: 30_000 } })
    const cancelled = await act(v2, runId, '/cancel', { reason: 'conformance' })
    check.equal(cancelled.status, 200, 'the cancellation of an active run')
    check.equal(cancelled.body.runId, runId, 'its id')
    check.oneOf(cancelled.body.status, ['cancelling', 'cancelled'], 'its status')
    check.equal((await v2.waitFor(runId, isEnded)).status, 'cancelled', 'its end')
    check.ok(
      (await v2.events(runId)).some(({ type }) => type === 'run.cancelled'),
      'run.cancelled is in its log',
    )
  }),

  scenarioV2('v2-run-bulk-cancel', facts, 'Each id of a bulk cancel has its own result', async (check, v2) => {
    const many = Array.from({ length: 101 }, () => `default/${'x'.repeat(22)}`)
    const tooMany = await v2.http('POST', '/runs:bulk-cancel', { body: { runIds: many } })
    v2.refused(tooMany, 400, 'validation_error', '101 ids')
    const max = Number(at(tooMany.body, 'details', 'maxRunIds'))
    check.ok(max >= 1 && max <= 100, 'details.maxRunIds')
    const cancellable = { workflowId: 'conformance-cancellable', inputs: { delayMs: 30_000 } }
    const [first, last] = [await v2.createRun(cancellable), await v2.createRun(cancellable)]
    const runIds = [first, `another-tenant/${'x'.repeat(22)}`, last]
    const answer = await v2.http('POST', '/runs:bulk-cancel', { body: { runIds } })
    check.equal(answer.status, 200, 'a bulk cancel with a foreign id')
    const results = (answer.body.results ?? []) as JsonObject[]
    check.equal(
      results.map(({ runId }) => runId),
      runIds,
      'the results are in order',
    )
    check.equal(
      results.map(({ ok }) => ok),
      [true, false, true],
      'which were cancelled',
    )
    check.equal(at(results[1], 'error', 'error'), 'id_tenant_mismatch', 'the error of the foreign id')
    check.ok(typeof at(results[1], 'error', 'message') === 'string', 'that error is a whole envelope')
  }),

  scenarioV2(
    'v2-run-pause-resume',
    facts,
    'Pausing and resuming are refused when the status does not allow it',
    async (check, v2) => {
      const done = await v2.completedRun(noop)
      for (const verb of [':pause', ':resume'])
        v2.refused(await act(v2, done, verb), 409, 'run_terminal', `${verb} of a terminal run`)
      const runId = await v2.createRun({ workflowId: 'conformance-delay', inputs: { delayMs: 30_000 } })
      const paused = await act(v2, runId, ':pause', { drainPolicy: 'immediate' })
      check.equal(paused.status, 202, 'a pause')
      check.equal([paused.body.runId, paused.body.status], [runId, 'paused'], 'the paused run')
      const again = await act(v2, runId, ':pause', { drainPolicy: 'immediate' })
      v2.refused(again, 409, 'run_state_conflict', 'a second pause')
      check.equal(at(again.body, 'details', 'runStatus'), 'paused', 'details.runStatus')
      const resumed = await act(v2, runId, ':resume')
      check.equal([resumed.status, resumed.body.status], [202, 'running'], 'the resumed run')
      const types = (await v2.poll(runId)).events as RunEventDoc[]
      const [atPause, atResume] = ['run.paused', 'run.resumed'].map((type) =>
        types.findIndex((event) => event.type === type),
      )
      check.ok(Number(atPause) >= 0 && Number(atPause) < Number(atResume), 'paused comes before resumed')
      await act(v2, runId, '/cancel')
    },
  ),

  scenarioV2(
    'v2-run-options-limits',
    facts,
    'Tags and metadata come back unchanged within their limits',
    async (check, v2) => {
      const refuse = async (body: JsonObject, what: string) =>
        v2.refused(await v2.http('POST', '/runs', { body: { ...noop, ...body } }), 400, 'validation_error', what)
      check.needsFixture('conformance-noop')
      await refuse({ tags: Array.from({ length: 101 }, (_, index) => `t${index}`) }, '101 tags')
      await refuse({ tags: ['x'.repeat(257)] }, 'a tag of 257 characters')
      await refuse({ unknownMember: 1 }, 'an unknown member')
      const [tags, metadata] = [
        ['Ünïcode', 'with space', 'a:b/c'],
        { nested: { list: [1, 'zwei', null] }, 'x-y': true },
      ]
      const snapshot = await v2.snapshot(await v2.createRun({ ...noop, tags, metadata }))
      check.equal(snapshot.tags, tags, 'tags')
      check.equal(snapshot.metadata, metadata, 'metadata')
    },
  ),

  scenarioV2(
    'v2-configurable-closed',
    facts,
    'Options are closed, and named if they are of version 1',
    async (check, v2) => {
      check.needsFixture('conformance-noop')
      const create = (configurable: unknown) => v2.http('POST', '/runs', { body: { ...noop, configurable } })
      check.equal((await create({ version: 1, run: { runTimeoutMs: 60_000 } })).status, 201, 'options of version 2')
      for (const [what, options] of Object.entries({
        'an unknown key': { version: 1, unknownKey: 1 },
        'a dotted key': { version: 1, 'run.recursionLimit': 5 },
        'no version': { run: {} },
      }))
        v2.refused(await create(options), 400, 'validation_error', what)
      const flat = await create({ version: 1, recursionLimit: 5 })
      v2.refused(flat, 400, 'validation_error', 'an option of version 1')
      check.matches(flat.body.message, /recursionLimit/, 'the message names it')
    },
  ),

  scenarioV2('v2-run-list', facts, 'Runs are listed newest first, in pages', async (check, v2) => {
    const { maxPageSize } = v2.needs('runList')
    check.ok(Number(maxPageSize) >= 1, 'maxPageSize')
    const [older, newer] = [await v2.createRun(noop), await v2.createRun(noop)]
    const page = async (query: string) => (await v2.http('GET', `/runs?${query}`)).body
    const first = await page('limit=1')
    const rows = first.runs as JsonObject[]
    check.equal(rows.length, 1, 'a page of one')
    check.ok(typeof first.nextCursor === 'string', 'it has a cursor')
    const all = (await page('limit=100')).runs as JsonObject[]
    const place = (id: string) => all.findIndex(({ runId }) => runId === id)
    check.ok(place(newer) >= 0 && place(newer) < place(older), 'the newer run comes first')
    const wrong = await v2.http('GET', '/runs?cursor=of-another-host')
    v2.refused(wrong, 400, 'validation_error', 'a foreign cursor')
  }),

  scenarioV2('v2-run-completed-outputs', facts, 'The end of a run has its outputs as an object', async (check, v2) => {
    const events = await v2.events(await v2.completedRun(noop))
    const last = events.at(-1)
    check.equal(last?.type, 'run.completed', 'the last event')
    check.ok(isObject(at(last?.payload, 'outputs')), 'its outputs')
  }),

  scenarioV2(
    'v2-run-fork-prefix',
    facts,
    'A fork keeps what was before its point, and begins the node again',
    async (check, v2) => {
      v2.needs('replay')
      const source = await v2.completedRun({ workflowId: 'conformance-multi-node' })
      const events = await v2.events(source)
      const fromSeq = events.findIndex(({ type }) => type === 'node.completed')
      check.ok(fromSeq > 0, 'the source has a node.completed')
      const forked = await act(v2, source, ':fork', { mode: 'branch', fromSeq })
      check.equal(forked.status, 201, 'a fork on a node.completed')
      check.equal(forked.body.sourceRunId, source, 'sourceRunId')
      const runId = String(forked.body.runId)
      await v2.waitFor(runId, isEnded)
      const log = await v2.events(runId)
      check.equal(prefixOf(log, fromSeq), prefixOf(events, fromSeq), 'the events before the point')
      check.ok(log[fromSeq]?.type !== 'node.completed', 'the event at the point is another one')
    },
  ),

  scenarioV2('v2-run-fork-refusals', facts, 'A fork is refused with the statuses of version 2', async (check, v2) => {
    v2.needs('replay')
    const source = await v2.completedRun(noop)
    const overlay = { mode: 'replay', fromSeq: 0, runOptionsOverlay: { tags: ['x'] } }
    v2.refused(await act(v2, source, ':fork', overlay), 400, 'validation_error', 'a replay with other options')
    const beyond = await act(v2, source, ':fork', { mode: 'branch', fromSeq: 999_999 })
    v2.refused(beyond, 422, 'fork_point_invalid', 'a point beyond the log')
    const forked = await act(v2, source, ':fork', { mode: 'replay', fromSeq: 0 })
    check.equal(forked.status, 201, 'a replay')
    const [from, to] = [await v2.snapshot(source), await v2.snapshot(String(forked.body.runId))]
    check.equal(to.owner, from.owner, 'the owner of the fork')
    check.equal(to.parentRunId, source, 'parentRunId of the fork')
  }),

  scenarioV2(
    'v2-effect-seam-manifest',
    'v2 8, 14',
    'The manifest lists every seam, each guarded',
    async (check, v2) => {
      const replay = v2.needs('replay')
      check.equal(replay.effectSeamsManifest, '/host/effect-seams', 'the facet')
      const answer = await v2.http('GET', '/host/effect-seams')
      check.equal(answer.status, 200, 'GET /host/effect-seams')
      check.equal(answer.body.manifestVersion, '1', 'manifestVersion')
      const seams = (answer.body.seams ?? []) as JsonObject[]
      check.ok(seams.length > 0, 'there is a seam')
      const kinds = ['http', 'smtp', 'queue', 'storage', 'provider-sdk', 'webhook-fanout', 'other']
      for (const { seam, kind, guarded, guardedBy, note } of seams) {
        check.equal(guarded, true, `${String(seam)} is guarded`)
        check.ok(typeof guardedBy === 'string' && guardedBy !== '', `${String(seam)} says by what`)
        check.oneOf(kind, kinds, `the kind of ${String(seam)}`)
        check.ok(kind !== 'other' || typeof note === 'string', `${String(seam)} of kind other has a note`)
      }
    },
  ),

  scenarioV2('v2-effect-ledger', 'v2 8, 14', 'The effects of a run are listed, without contents', async (check, v2) => {
    v2.needs('idempotency')
    const runId = await v2.completedRun(noop)
    const answer = await v2.http('GET', `/runs/${segmentOf(runId)}/effects`)
    check.equal(answer.status, 200, 'GET of effects')
    check.equal(answer.body.runId, runId, 'its run')
    check.ok(Array.isArray(answer.body.effects), 'effects is a list')
  }),

  scenarioV2(
    'v2-idempotency-key-grammar',
    'v2 8, 14',
    'A short key is refused, and a repeat is marked',
    async (check, v2) => {
      v2.needs('idempotency')
      check.needsFixture('conformance-noop')
      const key = `key-${crypto.randomUUID()}`
      const create = (value: string, body: JsonObject = noop) =>
        v2.http('POST', '/runs', { body, headers: { ...two, 'Idempotency-Key': value } })
      const first = await create(key)
      check.equal(first.status, 201, 'a key of the grammar')
      v2.refused(await create('short'), 400, 'idempotency_key_invalid', 'a short key')
      const again = await create(key)
      check.equal([again.status, again.body.runId], [201, first.body.runId], 'the repeat')
      check.equal(again.headers.get('openwop-idempotent-replay'), 'true', 'OpenWOP-Idempotent-Replay')
      const other = await create(key, { ...noop, tags: ['other'] })
      v2.refused(other, 409, 'idempotency_key_mismatch', 'another body with the key')
    },
  ),
]
