import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { releaseServer, run } from '../support/databases.ts'
import { createHome, type Home, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { addBody, assertRefused, contents, host, memoriesOf, sources, writers } from './memories-calls.ts'

after(releaseServer)

const typesOf = (history: { data: { change_type: string }[] }) => history.data.map(({ change_type }) => change_type)

for (const storage of storagesOfBehaviour) {
  describe(`changes of memories by callers on ${storage}`, () => {
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

    /** A tenant with two services, of which `crm` has the higher authority. */
    async function prepare() {
      const tenant = await server.tenant()
      const memories = memoriesOf(tenant.call)
      await memories.writer('chat', 50)
      await memories.writer('crm', 80)
      const history = async (id: string) => (await tenant.call('GET', `/v1/memories/${id}/history`)).body
      const patch = (id: string, body: object) => tenant.call('PATCH', `/v1/memories/${id}`, body)
      const remove = (id: string, query = '') => tenant.call('DELETE', `/v1/memories/${id}${query}`)
      return { ...memories, ...tenant, history, patch, remove }
    }

    /** Every table of the database that holds the text. */
    async function tablesWith(text: string): Promise<string[]> {
      const url = home.env.COLOPHON_DATABASE_URL
      if (url !== undefined) {
        const names = await run(url, "select table_name from information_schema.tables where table_schema = 'public'")
        const found: string[] = []
        for (const { table_name: name } of names)
          if ((await run(url, `select 1 from "${name}" t where t::text like $1`, [`%${text}%`])).length > 0)
            found.push(String(name))
        return found
      }
      const db = new Database(`${home.dataDir}/colophon.db`, { readonly: true })
      try {
        // A full-text table is not read row by row; what it holds is in tables beside it.
        const tables = "select name from sqlite_master where type = 'table' and sql not like 'create virtual%'"
        const names = db.prepare(tables).pluck().all() as string[]
        return names.filter((name) => JSON.stringify(db.prepare(`select * from "${name}"`).all()).includes(text))
      } finally {
        db.close()
      }
    }

    test('a change of importance is a new version of the same content; id, age and sources stay', async () => {
      const { ingest, winner, patch, history } = await prepare()
      await ingest('ada', 'dark mode')
      const first = await winner('ada')
      const weighed = await patch(first.id, { importance: 9 })
      assert.equal(weighed.status, 200, weighed.text)
      const { content, version, id, created_at, importance_score, provenance, sources: count } = weighed.body
      assert.deepEqual(
        [content, version, id, created_at, importance_score, provenance, count],
        ['dark mode', 2, first.id, first.created_at, 9, first.provenance, 1],
      )
      assert.deepEqual(await winner('ada'), weighed.body)
      const { data } = await history(first.id)
      assert.deepEqual(
        data.map(({ version_number, change_type, content }: Record<string, unknown>) => [
          version_number,
          change_type,
          content,
        ]),
        [
          [1, 'created', 'dark mode'],
          [2, 'edited', 'dark mode'],
        ],
      )
      for (const { actor, created_at } of data) assert.ok(/^key:/.test(actor) && Date.parse(created_at) > 0)
    })

    /** The writer `crm` bound to a key of its own, beside a key that may only write and read. */
    async function prepareKeys() {
      const tenant = await prepare()
      const key = async (...scopes: string[]) => {
        const made = await tenant.call('POST', `${host}/keys`, { name: scopes.join(' '), scopes })
        assert.equal(made.status, 201, made.text)
        return { id: made.body.id as string, call: server.as(made.body.key) }
      }
      const crm = await key('memory:write', 'memory:read')
      const editor = await key('memory:write', 'memory:read')
      const { data } = (await tenant.call('GET', writers)).body
      const { id } = data.find(({ service_key }: { service_key: string }) => service_key === 'crm')
      assert.equal((await tenant.call('PATCH', `${writers}/${id}`, { api_key_id: crm.id })).status, 200)
      const ingest = memoriesOf(crm.call).ingest
      return {
        ...tenant,
        crm,
        editor,
        ingest: (text: string, options: object) => ingest('ada', text, { service: 'crm', ...options }),
      }
    }

    test('an edit by another key is never attributed to the writer', async () => {
      const { ingest, crm, editor, call, winner, all, claim } = await prepareKeys()
      await ingest('light mode', {})
      const first = await winner('ada')
      assert.deepEqual([first.provenance.service, first.writers], ['crm', 1])
      const edited = await editor.call('PATCH', `/v1/memories/${first.id}`, { content: 'dark mode' })
      assert.equal(edited.status, 200, edited.text)
      const {
        id,
        content,
        status,
        version,
        provenance,
        source_event_id,
        attribution,
        sources: count,
        writers: who,
      } = edited.body
      assert.notEqual(id, first.id)
      assert.deepEqual(
        [content, status, version, provenance, source_event_id, attribution, count, who],
        ['dark mode', 'superseded', 1, null, null, { api_key_id: editor.id }, 1, 1],
      )
      assert.deepEqual(await winner('ada'), first, 'what counts more stays, as it was')
      const { contents: stated, winner: current } = await claim('ada')
      assert.deepEqual(
        [current, stated.map((item: Record<string, unknown>) => [item.content, item.services, item.writers])],
        [
          first.id,
          [
            ['light mode', ['crm'], 1],
            ['dark mode', [], 1],
          ],
        ],
      )
      const own = await crm.call('PATCH', `/v1/memories/${first.id}`, { content: 'no mode' })
      assert.deepEqual(
        [own.body.status, own.body.provenance.service, own.body.attribution],
        ['active', 'crm', { api_key_id: crm.id }],
      )
      assert.equal((await winner('ada')).id, own.body.id)
      for (const memory of await all('ada'))
        assert.equal(memory.provenance?.service ?? null, memory.content === 'dark mode' ? null : 'crm')
      const { story } = (
        await call('GET', `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${id}/colophon`)
      ).body
      assert.ok(
        story.some(({ step, text }: { step: string; text: string }) => step === 'edited' && text.includes(editor.id)),
        JSON.stringify(story),
      )
      const retrieved = await call('POST', '/v1/memories/retrieve', { external_user_id: 'ada', query: 'mode' })
      assert.deepEqual(
        retrieved.body.data.map((item: Record<string, unknown>) => item.id),
        [own.body.id],
      )
    })

    test('a reason pins an edit by a key with the scope to decide claims, and is only recorded for other keys', async () => {
      const { ingest, editor, patch, winner, claim, history } = await prepareKeys()
      await ingest('light mode', {})
      const first = await winner('ada')
      const body = { content: 'dark mode', reason: 'She said so.' }
      assert.equal((await editor.call('PATCH', `/v1/memories/${first.id}`, body)).body.status, 'superseded')
      const pinned = await patch(first.id, { content: 'no mode', reason: 'She wrote so.' })
      assert.deepEqual([pinned.status, pinned.body.status, pinned.body.provenance], [200, 'active', null])
      const { pin, winner: current } = await claim('ada')
      assert.deepEqual([current, pin.memoryId, pin.reason], [pinned.body.id, pinned.body.id, 'She wrote so.'])
      assert.equal(pin.actor, `key:${pinned.body.attribution.api_key_id}`)
      await ingest('another mode', {})
      assert.equal((await winner('ada')).content, 'no mode')
      const { data } = await history(pinned.body.id)
      assert.deepEqual([data[0].change_reason, data[0].actor], ['She wrote so.', pin.actor])
      assertRefused(await patch(pinned.body.id, { importance: 3, reason: 'Alone.' }), 422, 'REQ_422')
    })

    test('a memory that competes with no other keeps its id; each version has the provenance of its own content', async () => {
      const { ingest, editor, winner, list, call } = await prepareKeys()
      await ingest('likes tea', { claim: null })
      const first = await winner('ada')
      const position = (await call('GET', `${host}/audit`)).body.head.position
      const edited = await editor.call('PATCH', `/v1/memories/${first.id}`, { content: 'likes coffee' })
      const { id, version, provenance, attribution, tags } = edited.body
      assert.deepEqual(
        [id, version, provenance, attribution, tags],
        [first.id, 2, null, { api_key_id: editor.id }, ['source:api']],
      )
      const [before] = await list('ada', { as_of: String(position) })
      assert.deepEqual([before.content, before.provenance], ['likes tea', first.provenance])
      const { claims } = (await call('GET', `${host}/claims?subject=ada`)).body
      assert.deepEqual(contents(claims[0].contents), ['likes coffee'])
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })

    test('where writers must be bound, an unbound one is refused as a source', async () => {
      const { ingest, call, add } = await prepareKeys()
      const known = addBody('ada', 'dark mode', { eventId: 'known' })
      assert.equal((await add(known)).status, 202)
      assert.equal((await call('GET', '/v1/tenant/settings')).body.require_bound_writers, false)
      const set = await call('PATCH', '/v1/tenant/settings', { require_bound_writers: true })
      assert.equal(set.body.require_bound_writers, true)
      assertRefused(await add(addBody('ada', 'light mode')), 403, 'PROV_403', 'writer_unbound')
      assert.equal((await add(known)).headers.get('idempotent-replay'), 'true', 'what was taken keeps its answer')
      await ingest('no mode', {})
      assertRefused(await add(addBody('ada', 'x', { service: 'crm' })), 403, 'PROV_403', 'writer_key_mismatch')
    })

    test('an archived memory is not listed, and is listed again when it is unarchived', async () => {
      const { ingest, winner, list, all, patch, history } = await prepare()
      await ingest('ada', 'dark mode')
      const { id } = await winner('ada')
      assert.equal((await patch(id, { is_archived: true })).body.status, 'archived')
      assert.deepEqual(await list('ada'), [])
      assert.deepEqual(
        (await all('ada')).map(({ status }: { status: string }) => status),
        ['archived'],
      )
      await ingest('ada', 'Dark mode!')
      assert.deepEqual(await list('ada'), [], 'what a person put away stays away')
      const back = await patch(id, { is_archived: false })
      assert.deepEqual([back.status, back.body.status, back.body.version, back.body.sources], [200, 'active', 2, 2])
      assert.deepEqual(typesOf(await history(id)), ['created', 'archived', 'confirmed', 'reactivated'])
      assert.equal((await patch(id, { is_archived: false })).status, 200, 'again, or from the start, it does no harm')
    })

    test('a superseded memory cannot be edited or archived', async () => {
      const { ingest, all, patch, state } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      const lost = (await all('ada')).find(({ status }: { status: string }) => status === 'superseded')
      const before = await state()
      for (const change of [{ content: 'other' }, { importance: 3 }, { is_archived: false }, { is_archived: true }])
        assertRefused(await patch(lost.id, change), 422, 'REQ_422')
      assert.deepEqual(await state(), before)
    })

    test('an archived memory cannot be restored after another content won its claim', async () => {
      const { ingest, winner, list, patch } = await prepare()
      await ingest('ada', 'dark mode')
      const { id } = await winner('ada')
      await patch(id, { is_archived: true })
      await ingest('ada', 'light mode', { service: 'crm' })
      const answer = await patch(id, { is_archived: false })
      assert.ok(answer.status < 500, answer.text)
      assert.deepEqual(contents(await list('ada')), ['light mode'])
    })

    test('deleting the winner makes the next content the winner, as its next version', async () => {
      const { ingest, winner, all, remove, call, claim } = await prepare()
      await ingest('ada', 'dark mode')
      const first = await winner('ada')
      await ingest('ada', 'light mode', { service: 'crm' })
      await ingest('ada', 'LIGHT mode')
      const second = await winner('ada')
      assert.equal(second.sources, 2)
      assert.deepEqual((await remove(second.id)).body, { id: second.id, deleted: true })
      const now = await winner('ada')
      assert.deepEqual([now.id, now.content, now.version, now.status], [first.id, 'dark mode', 2, 'active'])
      assert.deepEqual(contents(await all('ada')), ['dark mode'])
      assertRefused(await call('GET', `/v1/memories/${second.id}`), 404, 'MEM_404')
      assert.equal((await claim('ada')).winner, first.id)
      await ingest('ada', 'light mode', { service: 'crm' })
      const third = await winner('ada')
      assert.notEqual(third.id, second.id, 'what was deleted does not come back under its old name')
      assert.deepEqual([third.content, third.version, third.sources], ['light mode', 1, 1])
    })

    for (const status of ['superseded', 'archived']) {
      test(`a ${status} memory that is deleted is no longer returned`, async () => {
        const { ingest, all, list, patch, remove, call } = await prepare()
        await ingest('ada', 'dark mode')
        const [{ id }] = await list('ada')
        if (status === 'archived') await patch(id, { is_archived: true })
        else await ingest('ada', 'light mode', { service: 'crm' })
        const position = (await call('GET', `${host}/audit`)).body.head.position
        assert.equal((await remove(id)).status, 200)
        assertRefused(await call('GET', `/v1/memories/${id}`), 404, 'MEM_404')
        assert.ok(!contents(await all('ada')).includes('dark mode'))
        const before = await list('ada', { include_superseded: 'true', as_of: String(position) })
        assert.ok(contents(before).includes('dark mode'), 'it was there before')
        assertRefused(await remove(id), 404, 'MEM_404')
      })
    }

    test('deleting a deleted memory does nothing to the same content added again', async () => {
      const { ingest, winner, remove, call, claim } = await prepare()
      await ingest('ada', 'dark mode')
      const { id } = await winner('ada')
      await remove(id)
      await ingest('ada', 'dark mode')
      const again = await winner('ada')
      const entry = `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${id}`
      assert.deepEqual((await call('DELETE', entry)).body, { deleted: false })
      assert.deepEqual(await winner('ada'), again)
      const { winner: holder, status } = await claim('ada')
      assert.deepEqual([holder, status], [again.id, 'settled'])
    })

    test('the host extension deletes a memory of a claim in the same way', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode')
      await ingest('ada', 'light mode', { service: 'crm' })
      const { id } = await winner('ada')
      const entry = `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${id}`
      assert.deepEqual((await call('DELETE', entry)).body, { deleted: true })
      assert.equal((await winner('ada')).content, 'dark mode')
    })

    test('a repeated change with its idempotency key gets the first response', async () => {
      const { ingest, winner, call } = await prepare()
      await ingest('ada', 'dark mode')
      const { id } = await winner('ada')
      for (const [method, body] of [
        ['PATCH', { content: 'edited' }],
        ['DELETE', undefined],
      ] as const) {
        const headers = { 'idempotency-key': `once-${method}` }
        const first = await call(method, `/v1/memories/${id}`, body, headers)
        const again = await call(method, `/v1/memories/${id}`, body, headers)
        assert.deepEqual([again.status, again.body], [200, first.body], again.text)
        assert.equal(again.headers.get('idempotent-replay'), 'true')
      }
    })

    test('a hard delete leaves the text in no stored byte', async () => {
      const { ingest, winner, patch, remove, call, key } = await prepare()
      const [ingested, edited] = [`ingested-${key.slice(-12)}`, `edited-${key.slice(-12)}`]
      await ingest('ada', `${ingested} in chat`)
      await ingest('ada', `${ingested} IN chat.`, { service: 'crm' })
      const { id } = await winner('ada')
      const { body } = await patch(id, { content: `${edited} by hand` })
      assert.ok((await tablesWith(ingested)).includes('assertion'), 'the check finds what is there')
      assert.ok((await tablesWith(edited)).includes('assertion'), 'the edit is a statement')
      for (const each of [id, body.id]) assert.equal((await remove(each, '?hard_delete=true')).status, 200)
      for (const text of [ingested, edited])
        assert.deepEqual(
          (await tablesWith(text)).filter((name) => name !== 'source_event'),
          [],
          text,
        )
      assert.deepEqual(await tablesWith(ingested), [], 'nor in the messages of the events that ingested it')
      const { data } = (await call('GET', sources)).body
      assert.equal(data.length, 2, 'who ingested something, and when, stays')
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })
  })
}
