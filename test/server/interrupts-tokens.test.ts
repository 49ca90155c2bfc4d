import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import {
  type Answer,
  type Call,
  startServer,
  storagesOfBehaviour,
  type Tenant,
  type TestServer,
} from '../support/server.ts'
import {
  chain,
  ended,
  gate,
  isEnded,
  noop,
  register,
  type Snapshot,
  snapshotOf,
  startRun,
  startWaiting,
  until,
  waiting,
} from './runs-calls.ts'

after(releaseServer)

const accept = { resumeValue: { action: 'accept' } }

const parse = (token: string) => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())
const format = (payload: unknown) => Buffer.from(JSON.stringify(payload)).toString('base64url')
const macOf = (token: string) => token.slice(token.indexOf('.') + 1)

/** Changes one character into another of the same alphabet. */
const flip = (text: string, at: number) => text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)

async function tokenOf(call: Call, runId: string): Promise<string> {
  return (await waiting(call, runId)).interrupt.interruptToken
}

for (const storage of storagesOfBehaviour) {
  describe(`interrupt tokens on ${storage}`, { concurrency: true }, () => {
    let server: TestServer
    let tenant: Tenant
    let other: Tenant
    let withoutKey: Call
    before(async () => {
      server = await startServer({ storage })
      withoutKey = server.as(null)
      tenant = await server.tenant()
      other = await server.tenant()
      for (const { call } of [tenant, other]) {
        await register(call, chain('asks', [gate('gate', { title: 'May it go?' }), noop('then')]))
        await register(call, chain('hurries', [gate('gate', { timeoutMs: 1_500 })]))
        await register(call, chain('waits', [gate('gate', { timeoutMs: 60_000 })]))
      }
    })
    after(() => server[Symbol.asyncDispose]())

    const look = (token: string) => withoutKey('GET', `/v1/interrupts/${token}`)
    const answer = (token: string, body: unknown = accept) => withoutKey('POST', `/v1/interrupts/${token}`, body)

    test('a token of an earlier turn neither shows nor answers the later question', async () => {
      const { call } = tenant
      const ask = (turn: number, prompt: string) => ({
        when: [{ type: 'equals', left: 'output.turn', right: turn }],
        decide: { kind: 'ask-user', prompt },
      })
      const rules = [ask(1, 'Which?'), ask(2, 'A later question?'), { decide: { kind: 'terminate', reason: 'done' } }]
      const nodes = [
        { id: 'lead', typeId: 'core.orchestrator.supervisor', config: { rules } },
        { id: 'send', typeId: 'core.dispatch', config: { askUserRouting: 'clarification' } },
      ]
      const loop = chain('loop', nodes)
      const back = { id: 'back', sourceNodeId: 'send', targetNodeId: 'lead' }
      await register(call, { ...loop, edges: [...loop.edges, back] })
      const given = { resumeValue: { answers: { answer: 'one' } } }
      const runId = await startRun(call, 'loop')
      const early = await tokenOf(call, runId)
      assert.equal((await answer(early, given)).status, 200)
      await until(call, runId, 'asks again', ({ interrupt }) => interrupt?.interruptId === 'int.send.2')
      for (const path of ['/v1/interrupts', '/interrupts']) {
        for (const refused of [
          await withoutKey('GET', `${path}/${early}`),
          await withoutKey('POST', `${path}/${early}`, given),
        ]) {
          assertError(refused, 409, 'interrupt_already_resolved')
          assert.ok(!refused.text.includes('A later question?'))
        }
      }
      assert.equal((await answer(await tokenOf(call, runId), given)).status, 200)
      assert.equal((await ended(call, runId)).status, 'completed')
    })

    test('a token shows the interrupt and accepts its answer, without a key', async () => {
      const runId = await startRun(tenant.call, 'asks')
      const token = await tokenOf(tenant.call, runId)
      const shown = await look(token)
      assert.deepEqual([shown.status, shown.body.kind, shown.body.data.title], [200, 'approval', 'May it go?'])
      assert.ok(!shown.text.includes(tenant.id) && !shown.text.includes(runId), shown.text)
      assert.deepEqual((await answer(token)).body, { runId, nodeId: 'gate', status: 'running' })
      assert.equal((await ended(tenant.call, runId)).status, 'completed')
      // A key, good or bad, changes nothing: the token is what counts.
      const next = await tokenOf(tenant.call, await startRun(tenant.call, 'asks'))
      for (const key of [other.key, 'wrong'])
        assert.equal((await server.as(key)('GET', `/v1/interrupts/${next}`)).status, 200)
    })

    test('a token with one changed character is refused like a random one', async () => {
      const runId = await startRun(tenant.call, 'asks')
      const token = await tokenOf(tenant.call, runId)
      const [body = '', mac = ''] = token.split('.')
      const payload = parse(token)
      const theirs = await tokenOf(other.call, await startRun(other.call, 'asks'))
      const wrong = [
        'nonsense',
        '...',
        'a.b',
        body,
        `${body}.`,
        `.${mac}`,
        `${body}.${mac.slice(0, -1)}`,
        `${body}.${mac}x`,
        `${body}.${mac.toUpperCase()}`,
        `${mac}.${body}`,
        `${body}=.${mac}`,
        ...[0, 1, Math.floor(mac.length / 2), mac.length - 1].map((at) => `${body}.${flip(mac, at)}`),
        ...[0, 10, Math.floor(body.length / 2), body.length - 2].map((at) => `${flip(body, at)}.${mac}`),
        // The parts of two good tokens, put together.
        `${body}.${macOf(theirs)}`,
        `${theirs.split('.')[0]}.${mac}`,
        // Claims that an attacker would like it to have.
        ...[
          { ...payload, tenant: other.id },
          { ...parse(theirs), tenant: tenant.id },
          { ...payload, tenant: 'default' },
          { ...payload, tenant: 'none' },
          { ...payload, nodeId: 'then' },
          { ...payload, expiresAt: payload.expiresAt + 1 },
          { ...payload, expiresAt: 1e300 },
          { ...payload, intent: 'inspect' },
          { tenant: 1, runId: 2, nodeId: 3, expiresAt: 4 },
          [payload],
          null,
          'text',
        ].map((forged) => `${format(forged)}.${mac}`),
        // The same facts, written down differently.
        `${Buffer.from(JSON.stringify(payload, null, 1)).toString('base64url')}.${mac}`,
        `${format({ ...payload, tenant: '\ud800' })}.${mac}`,
        `${'x'.repeat(2_000)}.${mac}`,
        `${body}.${'x'.repeat(2_100)}`,
        'x'.repeat(5_900),
      ]
      const answers: Answer[] = []
      for (const forged of wrong) answers.push(await look(forged), await answer(forged))
      for (const [index, refused] of answers.entries()) {
        assert.equal(refused.status, 404, `${wrong[index >> 1]}: ${refused.text}`)
        assertError(refused, 404, 'interrupt_not_found')
        assert.equal(refused.text, answers[0]?.text, 'the error shows why the token is invalid')
      }
      for (const forged of ['x'.repeat(7_000), '%00', '..%2f..', '%E0%A4%A']) {
        for (const refused of [await look(forged), await answer(forged)]) {
          assert.ok(refused.status >= 400 && refused.status < 500, refused.text)
          assertError(refused, refused.status)
        }
      }
      assert.equal((await snapshotOf(tenant.call, runId)).status, 'waiting-approval')
      assert.equal((await look(token)).status, 200)
    })

    test('a token has exactly two parts', async () => {
      const token = await tokenOf(tenant.call, await startRun(tenant.call, 'asks'))
      for (const more of ['.', '.x', `.${token}`])
        assertError(await look(`${token}${more}`), 404, 'interrupt_not_found')
    })

    test('a token expires with its interrupt, after half an hour at most', async () => {
      const waits = parse(await tokenOf(tenant.call, await startRun(tenant.call, 'waits')))
      const asks = parse(await tokenOf(tenant.call, await startRun(tenant.call, 'asks')))
      assert.ok(waits.expiresAt <= Date.now() + 60_000, `${waits.expiresAt}`)
      assert.ok(asks.expiresAt <= Date.now() + 30 * 60_000, `${asks.expiresAt}`)
      // If the machine is so slow that the interrupt expired before it was read, the test starts another run.
      for (;;) {
        const runId = await startRun(tenant.call, 'hurries')
        const isSeen = (run: Snapshot) => run.interrupt !== undefined || isEnded(run)
        const token = (await until(tenant.call, runId, 'asks, or is over', isSeen)).interrupt?.interruptToken
        const run = await ended(tenant.call, runId)
        assert.equal(run.error.code, 'interrupt_timeout')
        if (token === undefined) continue
        for (const late of [await look(token), await answer(token)]) assertError(late, 410, 'interrupt_expired')
        break
      }
    })

    test('a token works once', async () => {
      const runId = await startRun(tenant.call, 'asks')
      const token = await tokenOf(tenant.call, runId)
      const second = await tokenOf(tenant.call, runId)
      const answers = await Promise.all([token, second, token, second].map((one) => answer(one)))
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409])
      await ended(tenant.call, runId)
      for (const one of [token, second]) assertError(await answer(one), 409, 'interrupt_already_resolved')
      assert.equal((await snapshotOf(tenant.call, runId)).interrupt, undefined)
    })

    test('a token of a run that has ended is refused', async () => {
      const runId = await startRun(tenant.call, 'asks')
      const token = await tokenOf(tenant.call, runId)
      await tenant.call('POST', `/v1/runs/${runId}/cancel`)
      assertError(await answer(token), 422, 'interrupt_cancelled')
      assert.equal((await snapshotOf(tenant.call, runId)).interrupt, undefined)
    })

    test('a token accepts only answers that the interrupt accepts', async () => {
      const runId = await startRun(tenant.call, 'asks')
      const token = await tokenOf(tenant.call, runId)
      for (const body of ['', '{}', 'null', '[]', '{"resumeValue":{"action":"maybe"}}', '{"resumeValue":null}', '{'])
        assertError(await answer(token, body), 400, 'validation_error')
      assertError(await withoutKey('POST', `/v1/interrupts/${token}?action=accept`, accept), 400, 'validation_error')
      assert.equal((await snapshotOf(tenant.call, runId)).status, 'waiting-approval')
    })

    test('a token of a disabled tenant is refused', async () => {
      const gone = await server.tenant()
      await register(gone.call, chain('asks', [gate()]))
      const token = await tokenOf(gone.call, await startWaiting(gone.call, 'asks'))
      await server.as(server.operatorKey)('POST', `/v1/host/colophon/tenants/${gone.id}:disable`)
      assertError(await gone.call('GET', '/v1/workflows/asks'), 401)
      for (const refused of [await look(token), await answer(token)]) assertError(refused, 404, 'interrupt_not_found')
    })
  })
}
