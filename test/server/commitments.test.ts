import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { forgotten } from '../forget/calls.ts'
import { tracesOf } from '../forget/traces.ts'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, createHome, type Home, startServer, type TestServer } from '../support/server.ts'
import { isThorough } from '../support/thorough.ts'
import { chain, ended, noop, register, runsOf } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const base = `${host}/commitments`

type Shown = {
  readonly id: string
  readonly status: string
  readonly reason?: string
  readonly memoryId?: string
  readonly runId?: string
  readonly enqueuedRunId?: string
}

async function put(call: Call, ref: string, content: string): Promise<{ id: string }> {
  const answer = await call('POST', `${host}/memory/${ref}/entries`, { content })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

const all = async (call: Call, query = '') => (await call('GET', `${base}${query}`)).body.commitments as Shown[]

async function first(call: Call, isWanted: (shown: Shown) => boolean = () => true): Promise<Shown> {
  let found: Shown | undefined
  await eventually('the commitment is there', async () => {
    found = (await all(call)).find(isWanted)
    return found !== undefined
  })
  return found as Shown
}

const soon = (ms: number) => new Date(Date.now() + ms).toISOString()

const setSoon = (call: Call, id: string) =>
  makeBrief(async (at) => (await call('PATCH', `${base}/${encodeURIComponent(id)}`, { at })).status === 200 || null)

for (const storage of ['sqlite', 'postgres'] as const) {
  describe(`commitments on ${storage}`, () => {
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

    test('a reminder is inferred from an entry, edited, and fires once with a run', async () => {
      const { call } = await server.tenant()
      await register(call, chain('greet', [noop()]))
      await call('PATCH', '/v1/tenant/settings', { commitment_workflow: 'greet', timezone: 'Europe/Berlin' })
      const entry = await put(call, 'notes', 'Remind me tomorrow at 9 to call Ana.')
      const { id, memoryId } = await first(call)
      assert.equal(memoryId, entry.id)
      await setSoon(call, id)
      const fired = await first(call, ({ status }) => status === 'fired')
      const run = await ended(call, fired.enqueuedRunId ?? '')
      assert.deepEqual([run.status, run.metadata], ['completed', { commitmentId: id }])
      const { events } = (await call('GET', `/v1/runs/${fired.runId}/events/poll`)).body
      const payloads = (events as { type: string; payload: object }[]).flatMap(({ type, payload }) =>
        type === 'commitment.fired' ? [payload] : [],
      )
      const condition = { condition: 'time', memoryId: entry.id, enqueuedRunId: fired.enqueuedRunId }
      assert.deepEqual(payloads, [{ commitmentId: id, memoryRef: 'notes', ...condition }])
      assert.equal((await runsOf(call)).length, 2)
      assert.deepEqual(await all(call, '?status=waiting'), [])
      assertError(await call('POST', `${base}/${encodeURIComponent(id)}:cancel`), 409, 'commitment_state')
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    })

    test('a commitment is forgotten with its entry: in no response and in no byte', async () => {
      const { call } = await server.tenant()
      const [secret, other] = ['zanzibarian-quest', 'marmalade-kitchen']
      const fire = async (ref: string, word: string) => {
        await put(call, ref, `Remind me tomorrow to start the ${word}.`)
        const { id } = await first(call, (shown) => JSON.stringify(shown).includes(word))
        await setSoon(call, id)
        await first(call, (shown) => shown.id === id && shown.status === 'fired')
      }
      await fire(`ref-of-${secret}`, secret)
      await put(call, 'kept', `Remind me tomorrow to start the ${other}.`)
      await call('POST', base, { memoryRef: `ref-of-${secret}`, intention: `by hand ${secret}`, at: soon(9e6) })
      assert.notDeepEqual(await tracesOf(home, secret), [], 'the check can find it')
      await forgotten(call, { memoryRef: `ref-of-${secret}` })
      assert.deepEqual(await tracesOf(home, secret), [])
      const left = await first(call)
      assert.ok(JSON.stringify(left).includes(other))
      // One entry, by its id.
      await call('DELETE', `/v1/memories/${left.memoryId}?hard_delete=true`)
      await eventually('the commitment is gone', async () => (await all(call)).length === 0)
      await eventually('its bytes are gone', async () => (await tracesOf(home, other)).length === 0)
      assert.equal((await call('GET', '/v1/audit/verify?contents=true')).body.chainValid, true)
    })

    // The rest is the same on both; the short form has it once.
    if (storage === 'postgres' && !isThorough) return

    test('a condition is met by another entry, and a list has pages', async () => {
      const { call } = await server.tenant()
      await put(call, 'bills', 'When the invoice is paid, notify Ana.')
      await first(call)
      await put(call, 'bills', 'The invoice was paid.')
      await first(call, ({ status }) => status === 'fired')
      for (const ref of ['a', 'z'])
        for (const n of [1, 2]) {
          const draft = { memoryRef: ref, intention: `${ref}${n}`, at: soon(3_600_000) }
          assert.equal((await call('POST', base, draft)).status, 201)
        }
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const { body } = await call('GET', `${base}?limit=2${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
        seen.push(...(body.commitments as { intention: string }[]).map(({ intention }) => intention))
        if (body.cursor === undefined) break
        cursor = body.cursor
      }
      assert.deepEqual(seen, ['a2', 'a1', 'When the invoice is paid, notify Ana', 'z2', 'z1'])
    })

    test('an import brings commitments that wait until a client changes them', async () => {
      const [source, copy] = [await server.tenant(), await server.tenant()]
      await put(source.call, 'notes', 'Remind me tomorrow at 9 to call Ana.')
      const { id } = await first(source.call)
      const { text } = await source.call('GET', `${host}/export`)
      const answer = await copy.call('POST', `${host}/import`, text, { 'content-type': 'application/x-ndjson' })
      assert.equal(answer.status, 200, answer.text)
      const [imported] = await all(copy.call)
      assert.deepEqual([imported?.id, imported?.status, imported?.reason], [id, 'paused', 'imported'])
      await setSoon(copy.call, id)
      await first(copy.call, ({ status }) => status === 'fired')
      assert.equal((await first(source.call)).status, 'waiting')
    })

    test('a workflow of a commitment needs the scope to start runs', async () => {
      const tenant = await server.tenant()
      await register(tenant.call, chain('greet', [noop()]))
      const key = await tenant.call('POST', `${host}/keys`, { name: 'w', scopes: ['memory:write', 'memory:read'] })
      const headers = { authorization: `Bearer ${key.body.key}` }
      const draft = { memoryRef: 'notes', intention: 'x', at: soon(9e6), workflowId: 'greet' }
      assertError(await tenant.call('POST', base, draft, headers), 403, 'forbidden')
      assert.equal((await tenant.call('POST', base, draft)).status, 201)
      assertError(await tenant.call('POST', base, { ...draft, workflowId: 'none' }), 400, 'validation_error')
      assertError(await tenant.call('POST', base, { ...draft, extra: 1 }), 400, 'validation_error')
    })
  })
}
