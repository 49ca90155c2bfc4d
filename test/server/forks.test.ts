import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import {
  chain,
  ended,
  eventsOf,
  gate,
  host,
  noop,
  put,
  register,
  runsOf,
  startRun,
  startWaiting,
  withoutIdsAndTimes,
} from './runs-calls.ts'

after(releaseServer)

const canary = 'CANARY-do-not-repeat'
const notes = `${host}/memory/notes/entries`
const list = (id: string) => ({ id, typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: id } })
const contents = (entries: readonly { content: string }[]) => entries.map(({ content }) => content)
const documents = [
  chain('quick', [noop()], { configurableSchema: { type: 'object', properties: { tone: { enum: ['warm', 'dry'] } } } }),
  chain('remembers', [list('first'), put('keep', '{{inputs.note}}'), list('second'), put('more', 'more')]),
  chain('asks', [put('keep', 'x'), gate('gate', { into: 'answer' }), list('seen')]),
  chain('fails', [put('keep', 'x'), { id: 'fail', typeId: 'core.fail' }]),
]

for (const storage of storagesOfBehaviour) {
  describe(`forks on ${storage}`, { concurrency: true }, () => {
    const server = useServer({ storage })

    const prepare = async () => {
      const { call } = await server.tenant()
      for (const document of documents) await register(call, document)
      return call
    }
    const fork = (call: Call, runId: string, body: unknown) => call('POST', `/v1/runs/${runId}:fork`, body)
    const forked = async (call: Call, runId: string, body: object) => {
      const answer = await fork(call, runId, body)
      assert.equal(answer.status, 201, answer.text)
      return ended(call, answer.body.runId)
    }

    /** A run that read an entry which lives for so long, or longer on a machine that is busy. */
    const readBrief = async (call: Call, lifeMs: number) => {
      const expiresAt = new Date(Date.now() + lifeMs).toISOString()
      await call('POST', notes, { content: 'brief', expiresAt })
      const runId = await startRun(call, 'remembers', { inputs: { note: 'kept' } })
      const source = await ended(call, runId)
      if (contents(source.variables.first).includes('brief')) return { runId, source, expiresAt }
      return readBrief(call, lifeMs * 2)
    }

    test('a fork of a run that read entries which have expired since is refused, unless the tenant allows it', async () => {
      const call = await prepare()
      const { runId, source, expiresAt } = await readBrief(call, 1_000)
      await new Promise((resolve) => setTimeout(resolve, Math.max(Date.parse(expiresAt) - Date.now(), 0) + 1))
      const replay = () => fork(call, runId, { mode: 'replay' })
      const refused = await replay()
      assertError(refused, 422, 'replay_memory_snapshot_unavailable')
      const { hint: _, ...details } = refused.body.details
      const why = { reason: 'retention_expired', cause: 'expired' }
      assert.deepEqual(details, { fromSeq: 0, sourceRunId: runId, ...why })
      assert.equal((await fork(call, runId, { mode: 'branch', fromSeq: 5 })).body.details.cause, 'expired')
      assert.equal((await call('PATCH', '/v1/tenant/settings', { replay_expired: 'allow' })).status, 200)
      assert.deepEqual((await forked(call, runId, { mode: 'replay' })).variables, source.variables)
      assert.equal((await call('PATCH', '/v1/tenant/settings', { replay_expired: 'refuse' })).status, 200)
      assert.equal((await replay()).status, 422)
      assert.equal((await call('PATCH', '/v1/tenant/settings', { replay_expired: 'yes' })).status, 422)
    })

    test('an invalid fork is refused, and no run is made', async () => {
      const call = await prepare()
      const runId = await startRun(call, 'quick')
      await ended(call, runId)
      const last = (await eventsOf(call, runId)).at(-1).sequence
      const refuse = async (body: unknown, status = 400, code = 'validation_error') => {
        const answer = await fork(call, runId, typeof body === 'string' ? body : JSON.stringify(body))
        assert.equal(answer.status, status, `${JSON.stringify(body)}: ${answer.text}`)
        assertError(answer, status, code)
        assert.ok(!answer.text.includes('CANARY'), answer.text)
        return answer
      }
      for (const text of ['', '{', 'null', '[]', '1', '"replay"', '{}']) await refuse(text)
      for (const mode of [null, 1, '', 'Replay', 'rewind', canary, ['replay'], {}]) await refuse({ mode, fromSeq: 0 })
      for (const fromSeq of [-1, 0.5, '0', null, true, [], {}, 1e300, '1e1', canary])
        for (const mode of ['replay', 'branch']) await refuse({ mode, fromSeq })
      await refuse({ mode: 'branch' })
      for (const fromSeq of [last + 2, 99_999, Number.MAX_SAFE_INTEGER]) {
        for (const mode of ['replay', 'branch']) {
          const { details } = (await refuse({ mode, fromSeq }, 422, 'invalid_from_seq')).body
          assert.deepEqual([details.sourceRunId, details.fromSeq, details.lastSequence], [runId, fromSeq, last])
        }
      }
      for (const runOptionsOverlay of [null, 1, 'x', [], [{}]])
        for (const mode of ['replay', 'branch']) await refuse({ mode, fromSeq: 0, runOptionsOverlay })
      for (const runOptionsOverlay of [
        { configurable: 1 },
        { configurable: { recursionLimit: 0 } },
        { configurable: { runTimeoutMs: -1 } },
        { configurable: { ai: { provider: 'acme' } } },
        { configurable: { tone: canary } },
        { tags: 'x' },
        { tags: [1] },
        { metadata: [] },
        { metadata: { pad: 'x'.repeat(51_200) } },
      ])
        await refuse({ mode: 'branch', fromSeq: 0, runOptionsOverlay })
      for (const runOptionsOverlay of [{ tags: ['x'] }, { configurable: {} }, { unknown: 1 }])
        await refuse({ mode: 'replay', runOptionsOverlay })
      assert.deepEqual(await runsOf(call), [runId])
    })

    test('a fork ignores unknown members', async () => {
      const call = await prepare()
      const runId = await startRun(call, 'quick')
      await ended(call, runId)
      const more = { runOptionsOverlay: {}, tenantId: 'default', fromSequence: 99, unknown: canary }
      const answer = await fork(call, runId, { mode: 'replay', ...more })
      assert.deepEqual(
        [answer.status, answer.body.mode, answer.body.fromSeq, answer.body.sourceRunId],
        [201, 'replay', 0, runId],
      )
      assert.equal((await forked(call, runId, { mode: 'branch', fromSeq: 0, ...more })).status, 'completed')
    })

    test('a fork of another tenant’s run is not found', async () => {
      const [call, other] = [await prepare(), await prepare()]
      const runId = await startRun(call, 'quick')
      await ended(call, runId)
      for (const id of [runId, 'none', 'x'.repeat(129)])
        assertError(await fork(other, id, { mode: 'replay' }), 404, 'not_found')
      // An invalid draft is refused before the run is looked up.
      assertError(await fork(other, runId, { mode: 'x' }), 400, 'validation_error')
      assert.deepEqual(await runsOf(other), [])
    })

    test('a replay gives the same events from every point, and writes nothing', async () => {
      const call = await prepare()
      for (const content of ['one', 'two']) await call('POST', notes, { content })
      const runId = await startRun(call, 'remembers', { inputs: { note: 'three' } })
      const source = await ended(call, runId)
      const log = await eventsOf(call, runId)
      // A replay must not see later entries, and must see those that were deleted later.
      await call('POST', notes, { content: 'four' })
      await call('DELETE', `${notes}/${source.variables.first[0].id}`)
      const before = (await call('GET', notes)).body
      for (let fromSeq = 0; fromSeq <= log.length; fromSeq++) {
        const replay = await forked(call, runId, { mode: 'replay', fromSeq })
        assert.deepEqual([replay.status, replay.variables], ['completed', source.variables], `from ${fromSeq}`)
        assert.deepEqual(
          withoutIdsAndTimes(await eventsOf(call, replay.runId)),
          withoutIdsAndTimes(log),
          `from ${fromSeq}`,
        )
        const { body } = await call('GET', `/v1/runs/${runId}:diff?against=${replay.runId}`)
        assert.deepEqual([body.divergedAtSeq, body.eventDiffs], [null, []])
      }
      assert.deepEqual((await call('GET', notes)).body, before)
      const again = await forked(call, (await forked(call, runId, { mode: 'replay' })).runId, { mode: 'replay' })
      assert.deepEqual(
        withoutIdsAndTimes(await eventsOf(call, again.runId)),
        withoutIdsAndTimes(log),
        'a replay of a replay',
      )
    })

    test('a branch keeps the events before its point and continues with the snapshot of the run', async () => {
      const call = await prepare()
      await call('POST', notes, { content: 'one' })
      const runId = await startRun(call, 'remembers', { inputs: { note: 'two' } })
      const source = await ended(call, runId)
      const log = await eventsOf(call, runId)
      await call('POST', notes, { content: 'later' })
      for (let fromSeq = 0; fromSeq <= log.length; fromSeq++) {
        const before = (await call('GET', notes)).body.entries.length
        const branch = await forked(call, runId, { mode: 'branch', fromSeq, runOptionsOverlay: { tags: ['branched'] } })
        assert.deepEqual(
          [branch.status, branch.tags, branch.fork.sourceRunId, branch.fork.fromSeq, branch.fork.mode],
          ['completed', ['branched'], runId, fromSeq, 'branch'],
        )
        const events = await eventsOf(call, branch.runId)
        assert.deepEqual(
          withoutIdsAndTimes(events.slice(0, fromSeq)),
          withoutIdsAndTimes(log.slice(0, fromSeq)),
          `from ${fromSeq}`,
        )
        assert.deepEqual(contents(branch.variables.first), ['one'])
        assert.deepEqual(contents(branch.variables.second), ['two', 'one'])
        const isOwn = (index: number) => log[index]?.type === 'memory.written' && log[index]?.nodeId !== undefined
        const written = log.filter((_, index) => index >= fromSeq && isOwn(index)).length
        assert.equal((await call('GET', notes)).body.entries.length, before + written, `from ${fromSeq}`)
      }
      assert.deepEqual((await ended(call, runId)).variables, source.variables)
      assert.deepEqual(await eventsOf(call, runId), log, 'the source has changed')
    })

    test('of a waiting run a branch asks again, and a replay waits for the end of the run', async () => {
      const call = await prepare()
      const runId = await startWaiting(call, 'asks')
      const early = await fork(call, runId, { mode: 'replay' })
      assertError(early, 409, 'run_state')
      assert.equal(early.body.details.runStatus, 'waiting-approval')
      const answer = await fork(call, runId, { mode: 'branch', fromSeq: (await eventsOf(call, runId)).length })
      const branch = answer.body.runId
      const accept = { resumeValue: { action: 'accept' } }
      assert.equal((await call('POST', `/v1/runs/${branch}/interrupts/gate`, accept)).status, 200)
      assert.deepEqual((await ended(call, branch)).variables.answer, { action: 'accept' })
      assert.equal((await call('GET', `/v1/runs/${runId}`)).body.status, 'waiting-approval')
      // Answered now: a replay does not ask again, and its interrupt cannot be answered differently.
      await call('POST', `/v1/runs/${runId}/interrupts/gate`, accept)
      await ended(call, runId)
      const repeated = await forked(call, runId, { mode: 'replay' })
      assert.deepEqual(
        withoutIdsAndTimes(await eventsOf(call, repeated.runId)),
        withoutIdsAndTimes(await eventsOf(call, runId)),
      )
      assertError(
        await call('POST', `/v1/runs/${repeated.runId}/interrupts/gate`, accept),
        409,
        'interrupt_already_resolved',
      )
    })

    test('forks of failed or cancelled runs end with the same status', async () => {
      const call = await prepare()
      const failed = await startRun(call, 'fails')
      const cancelled = await startWaiting(call, 'asks')
      await ended(call, failed)
      await call('POST', `/v1/runs/${cancelled}/cancel`, { reason: 'enough' })
      const log = await eventsOf(call, failed)
      for (const fromSeq of [0, log.length]) {
        const replay = await forked(call, failed, { mode: 'replay', fromSeq })
        assert.deepEqual([replay.status, replay.error.code], ['failed', 'node_failed'])
        assert.deepEqual(
          withoutIdsAndTimes(await eventsOf(call, replay.runId)),
          withoutIdsAndTimes(log),
          `from ${fromSeq}`,
        )
      }
      const whole = (await eventsOf(call, cancelled)).length
      assert.equal((await forked(call, cancelled, { mode: 'branch', fromSeq: whole })).status, 'cancelled')
      for (const fromSeq of [0, whole]) {
        const replay = await forked(call, cancelled, { mode: 'replay', fromSeq })
        assert.deepEqual([replay.status, replay.error], ['cancelled', undefined])
        assert.deepEqual(
          withoutIdsAndTimes(await eventsOf(call, replay.runId)),
          withoutIdsAndTimes(await eventsOf(call, cancelled)),
        )
      }
    })
  })
}
