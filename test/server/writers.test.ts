import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { addBody, assertRefused, host, memoriesOf, writers } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`service writers on ${storage}`, () => {
    const server = useServer({ storage })

    test('writers are registered, listed in pages and changed', async () => {
      const { call } = await server.tenant()
      const made = await call('POST', writers, { service_key: 'chat-service' })
      assert.equal(made.status, 201, made.text)
      const { id, created_at, updated_at, ...facts } = made.body
      assert.match(id, /^wtr_/)
      assert.equal(created_at, updated_at)
      assert.deepEqual(facts, {
        service_key: 'chat-service',
        display_name: null,
        authority_rules: { default_priority: 50, categories: {} },
        api_key_id: null,
        is_active: true,
        rule_changes: [],
      })
      for (const service_key of ['0', 'a.b_c-d', 'z'.repeat(64)])
        assert.equal((await call('POST', writers, { service_key })).status, 201, service_key)
      const seen: string[] = []
      for (let cursor = ''; ; ) {
        const page = (await call('GET', `${writers}?limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)).body
        seen.push(...page.data.map(({ service_key }: { service_key: string }) => service_key))
        cursor = page.cursor ?? ''
        if (cursor === '') break
      }
      assert.deepEqual(seen, ['0', 'a.b_c-d', 'chat-service', 'z'.repeat(64)])
    })

    test('a writer records which key changed its rules, from what to what; rules are replaced as a whole', async () => {
      const { call } = await server.tenant()
      const old = { default_priority: 10, categories: { fact: 20, goal: 0 } }
      const { id } = (
        await call('POST', writers, { service_key: 'crm', display_name: 'The CRM', authority_rules: old })
      ).body
      const rules = { categories: { preference: 100 } }
      const changed = await call('PATCH', `${writers}/${id}`, { authority_rules: rules })
      assert.equal(changed.status, 200, changed.text)
      const next = { default_priority: 50, categories: { preference: 100 } }
      assert.deepEqual(changed.body.authority_rules, next)
      assert.equal(changed.body.display_name, 'The CRM')
      const [change, ...others] = changed.body.rule_changes
      assert.deepEqual(others, [])
      assert.match(change.actor, /^key:key_/)
      assert.deepEqual([change.old, change.new, change.at], [old, next, changed.body.updated_at])
      const named = (await call('PATCH', `${writers}/${id}`, { display_name: null, is_active: false })).body
      assert.deepEqual([named.display_name, named.is_active, named.rule_changes.length], [null, false, 1])
      assert.deepEqual((await call('GET', writers)).body.data, [named])
    })

    test('a service key is used by one writer, also with concurrent calls', async () => {
      const { call } = await server.tenant()
      const answers = await Promise.all(Array.from({ length: 12 }, () => call('POST', writers, { service_key: 'one' })))
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      for (const answer of answers.filter(({ status }) => status !== 201))
        assertRefused(answer, 409, 'PROV_409', 'service_key_exists')
      assert.equal((await call('GET', writers)).body.data.length, 1)
      const other = await server.tenant()
      assert.equal(
        (await other.call('POST', writers, { service_key: 'one' })).status,
        201,
        'another tenant has its own',
      )
    })

    test('a change of authority says how many claims a reresolve would change; other changes do not', async () => {
      const { call } = await server.tenant()
      const { writer, ingest, winner } = memoriesOf(call)
      await writer('chat', 50)
      const { id } = await writer('crm', 10)
      await ingest('ada', 'dark mode', { service: 'chat' })
      await ingest('ada', 'light mode', { service: 'crm' })
      const change = async (body: object) => (await call('PATCH', `${writers}/${id}`, body)).body
      const raised = await change({ authority_rules: { default_priority: 90 } })
      assert.deepEqual([raised.reresolve, (await winner('ada')).content], [{ claims: 1 }, 'dark mode'])
      assert.equal((await change({ display_name: 'CRM' })).reresolve, undefined)
      assert.deepEqual((await change({ authority_rules: { default_priority: 10 } })).reresolve, { claims: 0 })
    })

    test('a repeated registration with its idempotency key gets the first response', async () => {
      const { call } = await server.tenant()
      const headers = { 'idempotency-key': 'register' }
      const first = await call('POST', writers, { service_key: 'one' }, headers)
      const again = await call('POST', writers, { service_key: 'one' }, headers)
      assert.deepEqual([again.status, again.body, again.headers.get('idempotent-replay')], [201, first.body, 'true'])
    })

    test('a malformed writer is refused, the error names the member, and nothing is stored', async () => {
      const { call } = await server.tenant()
      const { state, writer } = memoriesOf(call)
      const known = await writer('known')
      const other = await server.tenant()
      const foreign = (await other.call('GET', `${host}/keys`)).body.keys[0].id
      const before = await state()
      const rules = (authority_rules: unknown) => ({ service_key: 'new', authority_rules })
      const wrong: object[] = [
        {},
        ...['', 'Chat', '-chat', '.chat', '_chat', 'a b', 'ü', 'a'.repeat(65), 'a/b', 'a:b', 'a\n', null, 5, ['a']].map(
          (service_key) => ({ service_key }),
        ),
        ...[null, [], 'high', 5, { default_priority: -1 }, { default_priority: 101 }, { default_priority: 50.5 }].map(
          rules,
        ),
        ...[{ default_priority: '50' }, { default_priority: null }, { unknown: 1 }, { categories: { fact: 101 } }].map(
          rules,
        ),
        ...[{ categories: { fact: -1 } }, { categories: { fact: 0.1 } }, { categories: { fact: '1' } }].map(rules),
        ...[{ categories: { opinion: 1 } }, { categories: null }, { categories: [1] }, { categories: 'fact' }].map(
          rules,
        ),
        ...['key_none', foreign, 5, {}].map((api_key_id) => ({ service_key: 'new', api_key_id })),
        { service_key: 'new', is_active: 'yes' },
        { service_key: 'new', display_name: 5 },
        { service_key: 'new', display_name: 'x'.repeat(129) },
        { service_key: 'new', unknown_member: true },
      ]
      for (const body of wrong) {
        const answer = await call('POST', writers, body)
        assert.equal(answer.status, 422, `${JSON.stringify(body)}: ${answer.text}`)
        // A member that is not known is the body's problem, everything else the writer's.
        if (!('unknown_member' in body)) assertRefused(answer, 422, 'PROV_422')
      }
      for (const body of [
        { service_key: 'renamed' },
        { authority_rules: { default_priority: 1.5 } },
        { authority_rules: { categories: { opinion: 1 } } },
        { api_key_id: 'key_none' },
        { is_active: 1 },
      ])
        assertRefused(await call('PATCH', `${writers}/${known.id}`, body), 422, 'PROV_422')
      const unknown = await call('PATCH', `${writers}/${known.id}`, { unknown_member: 1 })
      assert.equal(unknown.status, 422, unknown.text)
      for (const body of ['[]', '"x"', '{', 'null']) assertRefused(await call('POST', writers, body), 422, 'REQ_422')
      assert.deepEqual(await state(), before)
    })

    test('unknown writers are not found', async () => {
      const { call } = await server.tenant()
      const { state, writer } = memoriesOf(call)
      const { id } = await writer('known')
      const before = await state()
      for (const unknown of ['wtr_none', 'known', 'x'.repeat(300), '%00']) {
        assertRefused(await call('PATCH', `${writers}/${unknown}`, { is_active: false }), 404, 'PROV_404')
        assertRefused(await call('POST', `${writers}/${unknown}:reresolve`), 404, 'PROV_404')
      }
      const other = await server.tenant()
      assertRefused(await other.call('PATCH', `${writers}/${id}`, { is_active: false }), 404, 'PROV_404')
      const preview = await other.call('POST', `${host}/writers/${id}:preview`, { authority_rules: {} })
      assert.deepEqual([preview.status, preview.body.error], [404, 'writer_not_found'])
      assert.deepEqual(await state(), before)
    })

    test('writers need the scope, and a key', async () => {
      const { call, key } = await server.tenant()
      assert.equal((await server.as(null)('GET', writers, undefined, { authorization: `ApiKey ${key}` })).status, 200)
      const made = (await call('POST', `${host}/keys`, { name: 'k', scopes: ['memory:write', 'memory:read'] })).body
      assertRefused(await server.as(made.key)('POST', writers, { service_key: 'x' }), 403, 'AUTH_403')
      assertRefused(await server.as(null)('GET', writers), 401, 'AUTH_001')
      assertRefused(await server.as('not-a-key-at-all-of-anybody')('GET', writers), 401, 'AUTH_002')
    })

    test('a writer bound to a key is accepted with that key only; unregistered and inactive ones are refused', async () => {
      const { call } = await server.tenant()
      const { writer, add, state, ingest, list } = memoriesOf(call)
      const scopes = ['memory:write', 'memory:read', 'audit:read', 'memory:admin']
      const own = (await call('POST', `${host}/keys`, { name: 'of chat', scopes })).body
      const { id } = await writer('chat', 50, { api_key_id: own.id })
      const before = await state()
      assertRefused(await add(addBody('ada', 'some content')), 403, 'PROV_403')
      assertRefused(await add(addBody('ada', 'some content', { service: 'nobody' })), 422, 'PROV_422')
      assert.deepEqual(await state(), before)
      const taken = await memoriesOf(server.as(own.key)).ingest('ada', 'some content')
      assert.equal(taken.job.memories_created, 1)
      assert.equal((await list('ada'))[0].attribution.api_key_id, own.id)
      await call('PATCH', `${writers}/${id}`, { api_key_id: null })
      await ingest('bob', 'some content')
      await call('PATCH', `${writers}/${id}`, { is_active: false })
      assertRefused(await add(addBody('bob', 'other content')), 422, 'PROV_422')
      assert.equal((await list('bob')).length, 1, 'its statements stay')
      await call('PATCH', `${writers}/${id}`, { is_active: true })
      await ingest('bob', 'third content', { claim: 'other' })
    })
  })
}
