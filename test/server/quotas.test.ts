import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, createHome, startServer, useServer } from '../support/server.ts'
import { chain, gate } from './runs-calls.ts'

after(releaseServer)

const host = '/v1/host/colophon'
const entries = `${host}/memory/notes/entries`

const completed = (call: Call, jobId: string) =>
  eventually(
    'the job is completed',
    async () => (await call('GET', `${host}/jobs/${jobId}`)).body.status === 'completed',
  )

describe('quotas of a tenant', () => {
  const server = useServer()
  const setQuotas = (id: string, change: object) =>
    server.as(server.operatorKey)('PATCH', `${host}/tenants/${id}/quotas`, change)

  test('the operator sets them, the tenant sees them, and the audit log of the tenant has it', async () => {
    const { id, call } = await server.tenant()
    const set = await setQuotas(id, { entries: 2, jobsPending: 7 })
    assert.deepEqual([set.status, set.body.set], [200, ['entries', 'jobsPending']])
    assert.deepEqual([set.body.quotas.entries, set.body.quotas.keys], [2, 1_000])
    const { quotas } = (await call('GET', `${host}/stats`)).body
    assert.deepEqual(quotas.entries, { used: 0, limit: 2 })
    assert.deepEqual(quotas.keys, { used: 1, limit: 1_000 })
    assert.deepEqual(quotas.requestsInFlight, { used: 1, limit: 10_000 })
    const { records } = (await call('GET', `${host}/audit`)).body
    const { kind, actor } = records.at(-1)
    assert.deepEqual([kind, actor], ['admin.quotas.changed', 'operator'])
    const { chainValid, anomalies } = (await call('GET', '/v1/audit/verify?contents=true')).body
    assert.deepEqual([chainValid, anomalies], [true, []])
    assertError(await call('PATCH', `${host}/tenants/${id}/quotas`, { entries: 9 }), 401, 'unauthenticated')
    assertError(await setQuotas('nobody', { entries: 9 }), 404, 'not_found')
    assertError(await setQuotas(id, { entry: 9 }), 400, 'validation_error')
    assertError(await setQuotas(id, { entries: -1 }), 400, 'validation_error')
    assert.deepEqual((await setQuotas(id, { entries: null })).body.set, ['jobsPending'])
  })

  test('a write over the quota is 507 with quota, use and limit on every wire; a retry of a stored one is answered', async () => {
    const { id, call } = await server.tenant()
    await setQuotas(id, { entries: 1 })
    const key = { 'idempotency-key': 'first' }
    const first = await call('POST', entries, { content: 'one' }, key)
    assert.equal(first.status, 201)
    const again = await call('POST', entries, { content: 'one' }, key)
    assert.deepEqual(
      [again.status, again.body.id, again.headers.get('idempotent-replay')],
      [201, first.body.id, 'true'],
    )
    const refused = await call('POST', entries, { content: 'two' })
    assertError(refused, 507, 'storage_quota_exceeded')
    const { quota, used, limit, hint } = refused.body.details
    assert.deepEqual({ quota, used, limit }, { quota: 'entries', used: 1, limit: 1 })
    assert.match(hint, /tenants quotas/)
    assert.equal(refused.headers.get('retry-after'), null)
    const batch = { entries: [{ content: 'a' }, { content: 'b' }] }
    assertError(await call('POST', `${entries}:batch`, batch), 507, 'storage_quota_exceeded')
    assert.equal((await call('GET', entries)).body.entries.length, 1)
    await call('DELETE', `${entries}/${first.body.id}`)
    assert.equal((await call('POST', entries, { content: 'two' })).status, 201)
  })

  test('an add is refused while too many jobs wait, with 429, and a resent event still gets its first response', async () => {
    const { id, call } = await server.tenant()
    await call('POST', '/v1/tenant/service-writers', { service_key: 'crm' })
    const add = (event: string) =>
      call('POST', '/v1/memories/add', {
        external_user_id: 'ada',
        messages: [{ role: 'user', content: 'I prefer tea.' }],
        source: { service: 'crm', event_id: event, observed_at: '2026-06-11T09:55:00Z' },
      })
    const first = await add('event-1')
    assert.equal(first.status, 202)
    await setQuotas(id, { jobsPending: 0 })
    const refused = await add('event-2')
    assert.deepEqual([refused.status, refused.body.error, refused.body.code], [429, 'quota_exceeded', 'REQ_429'])
    assert.equal(refused.body.details.quota, 'jobsPending')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal((await add('event-1')).body.job_id, first.body.job_id)
  })

  test('an add is refused with 507 when there is no room for what comes of it, and what is forgotten is not counted any more', async () => {
    const { id, call } = await server.tenant()
    await setQuotas(id, { entries: 2 })
    const add = (external_user_id: string, infer: boolean, ...contents: string[]) => {
      const messages = contents.map((content) => ({ role: 'user', content, ...(infer ? {} : { category: 'fact' }) }))
      return call('POST', '/v1/memories/add', { external_user_id, infer, messages })
    }
    const first = await add('ada', false, 'Drinks tea.', 'Has a cat.')
    assert.equal(first.status, 202)
    await completed(call, first.body.job_id)
    for (const infer of [true, false]) {
      const refused = await add('bob', infer, 'I prefer coffee.')
      assert.deepEqual([refused.status, refused.body.error], [507, 'storage_quota_exceeded'])
      assert.equal(refused.body.details.quota, 'entries')
    }
    const { jobId } = (await call('POST', `${host}/forget`, { subject: 'ada', reason: 'request 7' })).body
    await completed(call, jobId)
    const { entries: stored, quotas } = (await call('GET', `${host}/stats`)).body
    assert.deepEqual([stored, quotas.entries.used], [0, 0])
    assert.equal((await add('bob', true, 'I prefer coffee.')).status, 202)
  })

  test('whatever a key stores counts: a tenant with 100 KB cannot store megabytes, and what is forgotten or removed makes room', async () => {
    const { id, call } = await server.tenant()
    await setQuotas(id, { bytes: 100_000 })
    const text = 'word '.repeat(6_000)
    const used = async () => (await call('GET', `${host}/stats`)).body.quotas.bytes.used
    const stores: Readonly<Record<string, (nth: number) => ReturnType<Call>>> = {
      message: (nth) =>
        call('POST', '/v1/memories/add', {
          external_user_id: 'ada',
          messages: [{ role: 'user', content: `${nth} ${text}` }],
        }),
      workflow: (nth) =>
        call('POST', `${host}/workflows`, chain(`w${nth}`, [{ id: 'n', typeId: 'core.noop' }], { metadata: { text } })),
      run: () => call('POST', '/v1/runs', { workflowId: 'waits', inputs: { text } }),
      secret: (nth) => call('PUT', `${host}/secrets/s${nth}`, { value: `${nth}${'Zx9'.repeat(600)}` }),
      file: (nth) => call('PUT', `/v1/host/workspace/files/f${nth}`, { content: text }),
    }
    await call('POST', `${host}/workflows`, chain('waits', [gate('g')]))
    for (const [what, store] of Object.entries(stores)) {
      await setQuotas(id, { bytes: (await used()) + 100_000 })
      const before = await used()
      let refused: Awaited<ReturnType<Call>> | null = null
      for (let nth = 0; nth < 100 && refused === null; nth += 1) {
        const answer = await store(nth)
        if (answer.status >= 300) refused = answer
      }
      assert.ok(refused, `${what} is never refused`)
      assert.deepEqual(
        [refused.status, refused.body.error, refused.body.details.quota],
        [507, 'storage_quota_exceeded', 'bytes'],
        what,
      )
      assert.ok((await used()) - before < 200_000, what)
    }
    const full = await used()
    const { jobId } = (await call('POST', `${host}/forget`, { subject: 'ada', reason: 'request 7' })).body
    await completed(call, jobId)
    assert.ok((await used()) < full - 60_000, 'the messages are not counted any more')
    await setQuotas(id, { bytes: (await used()) + 20_000 })
    assert.equal((await stores.file?.(200))?.status, 507)
    await setQuotas(id, { bytes: (await used()) + 40_000 })
    assert.equal((await stores.file?.(201))?.status, 200)
  })

  test('keys are a quota too, and a revoked key makes room', async () => {
    const { id, call } = await server.tenant()
    await setQuotas(id, { keys: 2 })
    const create = (name: string) => call('POST', `${host}/keys`, { name, scopes: ['memory:read'] })
    const { id: second } = (await create('second')).body
    const refused = await create('third')
    assertError(refused, 507, 'storage_quota_exceeded')
    assert.equal(refused.body.details.quota, 'keys')
    await call('DELETE', `${host}/keys/${second}`)
    assert.equal((await create('third')).status, 201)
  })
})

test('two processes on one database share a quota', async () => {
  await using home = await createHome('postgres')
  await using first = await startServer({ storage: 'postgres', home })
  await using second = await startServer({ storage: 'postgres', home })
  const { id, key, call } = await first.tenant()
  await first.as(first.operatorKey)('PATCH', `${host}/tenants/${id}/quotas`, { entries: 4 })
  for (let n = 0; n < 4; n += 1) assert.equal((await call('POST', entries, { content: `note ${n}` })).status, 201)
  const refused = await second.as(key)('POST', entries, { content: 'more' })
  assertError(refused, 507, 'storage_quota_exceeded')
  const { used, limit } = refused.body.details
  assert.deepEqual([used, limit], [4, 4])
  const [{ id: entryId }] = (await call('GET', entries)).body.entries
  await call('DELETE', `${entries}/${entryId}`)
  assert.equal((await second.as(key)('POST', entries, { content: 'more' })).status, 201)
  assertError(await call('POST', entries, { content: 'too many' }), 507, 'storage_quota_exceeded')
})
