import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import Database from 'better-sqlite3'
import { releaseServer, run } from '../support/databases.ts'
import { createHome, type Home, startServer, storagesOfBehaviour, type TestServer } from '../support/server.ts'
import { assertRefused, contents, host, memoriesOf, sources } from './memories-calls.ts'

after(releaseServer)

const typesOf = (history: { data: { change_type: string }[] }) => history.data.map(({ change_type }) => change_type)

for (const storage of storagesOfBehaviour) {
  describe(`memories that people change, on ${storage}`, () => {
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

    /** A tenant with two services, of which `crm` has more to say. */
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

    test('text and importance change by a new version; id, age and sources stay', async () => {
      const { tell, winner, patch, history } = await prepare()
      await tell('ada', 'dark mode')
      const first = await winner('ada')
      const edited = await patch(first.id, { content: 'very dark mode' })
      assert.equal(edited.status, 200, edited.text)
      const { content, version, id, created_at, importance_score, provenance, sources: count } = edited.body
      assert.deepEqual(
        [content, version, id, created_at, importance_score, provenance, count],
        ['very dark mode', 2, first.id, first.created_at, 5, first.provenance, 1],
      )
      const weighed = await patch(first.id, { importance: 9 })
      assert.deepEqual(
        [weighed.body.importance_score, weighed.body.version, weighed.body.content],
        [9, 3, 'very dark mode'],
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
          [2, 'edited', 'very dark mode'],
          [3, 'edited', 'very dark mode'],
        ],
      )
      for (const { actor, created_at } of data) assert.ok(/^key:/.test(actor) && Date.parse(created_at) > 0)
    })

    test('an edited memory that is superseded and wins again comes back as it was edited', async () => {
      const { tell, winner, patch, remove, history } = await prepare()
      await tell('ada', 'dark mode')
      const { id } = await winner('ada')
      await patch(id, { content: 'edited by hand' })
      await tell('ada', 'light mode', { service: 'crm' })
      const rival = await winner('ada')
      assert.equal(rival.content, 'light mode')
      assert.equal((await remove(rival.id)).status, 200)
      const back = await winner('ada')
      assert.deepEqual([back.id, back.content, back.version], [id, 'edited by hand', 3])
      assert.deepEqual(typesOf(await history(id)), ['created', 'edited', 'superseded', 'reactivated'])
    })

    test('an archived memory is out of the list, and comes back when it is unarchived', async () => {
      const { tell, winner, list, all, patch, history } = await prepare()
      await tell('ada', 'dark mode')
      const { id } = await winner('ada')
      assert.equal((await patch(id, { is_archived: true })).body.status, 'archived')
      assert.deepEqual(await list('ada'), [])
      assert.deepEqual(
        (await all('ada')).map(({ status }: { status: string }) => status),
        ['archived'],
      )
      await tell('ada', 'Dark mode!')
      assert.deepEqual(await list('ada'), [], 'what a person put away stays away')
      const back = await patch(id, { is_archived: false })
      assert.deepEqual([back.status, back.body.status, back.body.version, back.body.sources], [200, 'active', 2, 2])
      assert.deepEqual(typesOf(await history(id)), ['created', 'archived', 'confirmed', 'reactivated'])
      assert.equal((await patch(id, { is_archived: false })).status, 200, 'again, or from the start, it does no harm')
    })

    test('a superseded memory cannot be edited or put away', async () => {
      const { tell, all, patch, state } = await prepare()
      await tell('ada', 'dark mode')
      await tell('ada', 'light mode', { service: 'crm' })
      const lost = (await all('ada')).find(({ status }: { status: string }) => status === 'superseded')
      const before = await state()
      for (const change of [{ content: 'other' }, { importance: 3 }, { is_archived: false }, { is_archived: true }])
        assertRefused(await patch(lost.id, change), 422, 'REQ_422')
      assert.deepEqual(await state(), before)
    })

    test('an archived memory whose claim another won meanwhile cannot come back over it', async () => {
      const { tell, winner, list, patch } = await prepare()
      await tell('ada', 'dark mode')
      const { id } = await winner('ada')
      await patch(id, { is_archived: true })
      await tell('ada', 'light mode', { service: 'crm' })
      const answer = await patch(id, { is_archived: false })
      assert.ok(answer.status < 500, answer.text)
      assert.deepEqual(contents(await list('ada')), ['light mode'])
    })

    test('deleting the winner lets the next content win, as its next version', async () => {
      const { tell, winner, all, remove, call, claim } = await prepare()
      await tell('ada', 'dark mode')
      const first = await winner('ada')
      await tell('ada', 'light mode', { service: 'crm' })
      await tell('ada', 'LIGHT mode')
      const second = await winner('ada')
      assert.equal(second.sources, 2)
      assert.deepEqual((await remove(second.id)).body, { id: second.id, deleted: true })
      const now = await winner('ada')
      assert.deepEqual([now.id, now.content, now.version, now.status], [first.id, 'dark mode', 2, 'active'])
      assert.deepEqual(contents(await all('ada')), ['dark mode'])
      assertRefused(await call('GET', `/v1/memories/${second.id}`), 404, 'MEM_404')
      assert.equal((await claim('ada')).winner, first.id)
      await tell('ada', 'light mode', { service: 'crm' })
      const third = await winner('ada')
      assert.notEqual(third.id, second.id, 'what was deleted does not come back under its old name')
      assert.deepEqual([third.content, third.version, third.sources], ['light mode', 1, 1])
    })

    for (const status of ['superseded', 'archived']) {
      test(`a ${status} memory that is deleted is gone`, async () => {
        const { tell, all, list, patch, remove, call } = await prepare()
        await tell('ada', 'dark mode')
        const [{ id }] = await list('ada')
        if (status === 'archived') await patch(id, { is_archived: true })
        else await tell('ada', 'light mode', { service: 'crm' })
        const position = (await call('GET', `${host}/audit`)).body.head.position
        assert.equal((await remove(id)).status, 200)
        assertRefused(await call('GET', `/v1/memories/${id}`), 404, 'MEM_404')
        assert.ok(!contents(await all('ada')).includes('dark mode'))
        const before = await list('ada', { include_superseded: 'true', as_of: String(position) })
        assert.ok(contents(before).includes('dark mode'), 'it was there before')
        assertRefused(await remove(id), 404, 'MEM_404')
      })
    }

    test('deleting what was deleted already does nothing to the same content told again', async () => {
      const { tell, winner, remove, call, claim } = await prepare()
      await tell('ada', 'dark mode')
      const { id } = await winner('ada')
      await remove(id)
      await tell('ada', 'dark mode')
      const again = await winner('ada')
      const entry = `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${id}`
      assert.deepEqual((await call('DELETE', entry)).body, { deleted: false })
      assert.deepEqual(await winner('ada'), again)
      const { winner: holder, status } = await claim('ada')
      assert.deepEqual([holder, status], [again.id, 'settled'])
    })

    test('the host extension deletes a memory of a claim likewise', async () => {
      const { tell, winner, call } = await prepare()
      await tell('ada', 'dark mode')
      await tell('ada', 'light mode', { service: 'crm' })
      const { id } = await winner('ada')
      const entry = `${host}/memory/${encodeURIComponent('subject:ada')}/entries/${id}`
      assert.deepEqual((await call('DELETE', entry)).body, { deleted: true })
      assert.equal((await winner('ada')).content, 'dark mode')
    })

    test('repeated changes with a key are the first ones', async () => {
      const { tell, winner, call } = await prepare()
      await tell('ada', 'dark mode')
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

    test('a hard delete leaves the text nowhere', async () => {
      const { tell, winner, patch, remove, call, key } = await prepare()
      const [told, edited] = [`told-${key.slice(-12)}`, `edited-${key.slice(-12)}`]
      await tell('ada', `${told} in chat`)
      await tell('ada', `${told} IN chat.`, { service: 'crm' })
      const { id } = await winner('ada')
      await patch(id, { content: `${edited} by hand` })
      assert.ok((await tablesWith(told)).includes('assertion'), 'the check finds what is there')
      assert.equal((await remove(id, '?hard_delete=true')).status, 200)
      for (const text of [told, edited])
        assert.deepEqual(
          (await tablesWith(text)).filter((name) => name !== 'source_event'),
          [],
          text,
        )
      assert.deepEqual(await tablesWith(told), [], 'nor in the messages of the events that told it')
      const { data } = (await call('GET', sources)).body
      assert.equal(data.length, 2, 'who told something, and when, stays')
      assert.equal((await call('GET', '/v1/audit/verify')).body.chainValid, true)
    })
  })
}
