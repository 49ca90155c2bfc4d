import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, test } from 'node:test'
import { assertError } from '../support/envelope.ts'
import { type Answer, type Call, useServer } from '../support/server.ts'
import { chain, gate, keyed, noop, register, startWaiting, until } from './runs-calls.ts'

const newKey = () => randomBytes(16).toString('base64url')
const isReplay = ({ headers }: Answer) => headers.get('openwop-idempotent-replay') === 'true'

describe('an idempotency key of version 2 remembers refusals that are final', () => {
  const server = useServer()
  let call: Call
  let tenantId: string
  before(async () => {
    const tenant = await server.tenant()
    call = tenant.call
    tenantId = tenant.id
    await register(call, chain('asks', [gate('gate'), noop('then')]))
  })
  const pathOf = (runId: string) => `/runs/${tenantId}~2F${runId}`

  test('a call that was refused is refused again, also when it could succeed now', async () => {
    const headers = keyed(newKey())
    const draft = { workflowId: 'not-there-yet' }
    const first = await call('POST', '/runs', draft, headers)
    assertError(first, 404, 'not_found')
    assert.ok(!isReplay(first))
    await register(call, chain('not-there-yet', [noop()]))
    const again = await call('POST', '/runs', draft, headers)
    assert.deepEqual([again.status, again.body, isReplay(again)], [404, first.body, true])
    assertError(await call('POST', '/runs', { workflowId: 'asks' }, headers), 409, 'idempotency_key_mismatch')
    assert.equal((await call('POST', '/runs', draft, keyed(newKey()))).status, 201)
  })

  test('refusals of control, forks and bulk cancels are repeated too', async () => {
    const runId = await startWaiting(call, 'asks')
    const key = keyed(newKey())
    const resumed = await call('POST', `${pathOf(runId)}:resume`, {}, key)
    assertError(resumed, 409, 'run_state_conflict')
    assert.equal((await call('POST', `${pathOf(runId)}:pause`, { drainPolicy: 'immediate' })).status, 202)
    const again = await call('POST', `${pathOf(runId)}:resume`, {}, key)
    assert.deepEqual([again.body, isReplay(again)], [resumed.body, true], 'though the run is paused now')
    const fork = { mode: 'branch', fromSeq: 40_000 }
    const forked = await call('POST', `${pathOf(runId)}:fork`, fork, key)
    assertError(forked, 422, 'fork_point_invalid')
    const forkedAgain = await call('POST', `${pathOf(runId)}:fork`, fork, key)
    assert.deepEqual([forkedAgain.body, isReplay(forkedAgain)], [forked.body, true])
    assert.match(forkedAgain.body.details.sourceRunId, /\//, 'with its tenant')
  })

  test('what is not final is decided anew: bad input, and what a retry may change', async () => {
    const headers = keyed(newKey())
    assertError(await call('POST', '/runs', { workflowId: 'asks', tags: [''] }, headers), 400, 'validation_error')
    const scope = { ...keyed(newKey()), 'openwop-dedup': 'enforce' }
    const draft = { workflowId: 'asks', scopeId: 'desk' }
    const active = await call('POST', '/runs', draft, { 'openwop-dedup': 'enforce' })
    assert.equal(active.status, 201)
    const refused = await call('POST', '/runs', draft, scope)
    assertError(refused, 409, 'run_already_active')
    assert.equal(refused.headers.get('retry-after'), '1')
    assert.ok(!('retryAfter' in refused.body.details), 'only in the header')
    const runId = active.body.runId.split('/')[1]
    await until(call, runId, 'waits', ({ status }) => status.startsWith('waiting'))
    assert.equal((await call('POST', `${pathOf(runId)}/cancel`, {})).status, 200)
    assert.equal((await call('POST', '/runs', draft, scope)).status, 201, 'it had Retry-After')
    assert.equal((await call('POST', '/runs', { workflowId: 'asks' }, headers)).status, 201)
  })

  test('the refusal of an address is repeated, and version 1 remembers none', async () => {
    const headers = keyed(newKey())
    const hook = { url: 'https://127.0.0.1/', events: ['run.completed'] }
    assertError(await call('POST', '/webhooks', hook, headers), 400, 'webhook_url_rejected')
    assert.ok(isReplay(await call('POST', '/webhooks', hook, headers)))
    const ofV1 = keyed(newKey())
    assert.equal((await call('POST', '/v1/runs', { workflowId: 'of-v1' }, ofV1)).status, 404)
    await register(call, chain('of-v1', [noop()]))
    assert.equal((await call('POST', '/v1/runs', { workflowId: 'of-v1' }, ofV1)).status, 201)
  })
})
