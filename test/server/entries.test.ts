import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { useServer } from '../support/server.ts'

after(releaseServer)

type Entry = { id: string; content: string; tags: string[]; createdAt: string; expiresAt?: string }

const host = '/v1/host/colophon'
const notes = `${host}/memory/notes/entries`
const contents = ({ entries }: { entries: Entry[] }) => entries.map(({ content }) => content)

for (const storage of ['sqlite', 'postgres', 'memory'] as const) {
  describe(storage, () => {
    const server = useServer({ storage })

    test('an entry is returned as it was put, with its origin, until it is deleted', async () => {
      const { call } = await server.tenant()
      const content = 'Ada prefers tea \u{1f375}\n\t"quoted" \\ \u202e'
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
      const put = await call('POST', notes, { content, tags: ['drinks', 'drinks', ''], expiresAt, subject: 'ada' })
      assert.equal(put.status, 201)
      const entry = put.body as Entry
      assert.match(entry.id, /^mem_[0-9a-f-]{36}$/)
      assert.deepEqual(entry, {
        id: entry.id,
        content,
        tags: ['drinks', 'source:api'],
        createdAt: entry.createdAt,
        expiresAt,
      })
      assert.equal(new Date(entry.createdAt).toISOString(), entry.createdAt)
      assert.deepEqual((await call('GET', `${notes}/${entry.id}`)).body, entry)
      const page = (await call('GET', notes)).body
      assert.deepEqual(page, { entries: [entry], position: page.position })
      assert.deepEqual((await call('GET', '/v1/memory/notes')).body, { entries: [entry] })

      const colophon = (await call('GET', `${notes}/${entry.id}/colophon`)).body
      assert.deepEqual(
        [colophon.id, colophon.memoryRef, colophon.version, colophon.subject],
        [entry.id, 'notes', 1, 'ada'],
      )
      assert.equal(colophon.origin.kind, 'api')
      assert.equal(colophon.audit.position, page.position)
      assert.match(colophon.audit.hash, /^[0-9a-f]{64}$/)
      assert.match(colophon.audit.actor, /^key:key_/)

      assert.deepEqual((await call('DELETE', `${notes}/${entry.id}`)).body, { deleted: true })
      const again = await call('DELETE', `${notes}/${entry.id}`)
      assert.deepEqual([again.status, again.body], [200, { deleted: false }])
      assertError(await call('GET', `${notes}/${entry.id}`), 404, 'not_found')
      assertError(await call('GET', `${notes}/${entry.id}/colophon`), 404, 'not_found')
      assert.deepEqual(contents((await call('GET', notes)).body), [])
    })

    test('lists are newest first, in pages that do not overlap or shift during other writes', async () => {
      const { call } = await server.tenant()
      const written = Array.from({ length: 25 }, (_, index) => `entry ${index}`)
      const batch = await call('POST', `${notes}:batch`, { entries: written.map((content) => ({ content })) })
      assert.equal(batch.status, 201)
      assert.deepEqual(contents(batch.body), written)
      const seen: string[] = []
      let cursor = ''
      do {
        const page = (await call('GET', `${notes}?limit=7${cursor}`)).body
        assert.equal(page.position, batch.body.position, 'a cursor stays at its position')
        seen.push(...contents(page))
        cursor = page.cursor ? `&cursor=${encodeURIComponent(page.cursor)}` : ''
        await call('POST', notes, { content: 'meanwhile' })
      } while (cursor)
      assert.deepEqual(seen, written.toReversed())
      assert.equal((await call('GET', `${notes}?limit=100000`)).body.entries.length, 29)
    })

    test('a list can be filtered by tag, and read as of a position or an instant', async () => {
      const { call } = await server.tenant()
      const first = (await call('POST', notes, { content: 'green', tags: ['tea'] })).body as Entry
      const { position } = (await call('GET', notes)).body
      await eventually('the clock moved on', async () => new Date().toISOString() > first.createdAt)
      await call('POST', notes, { content: 'black', tags: ['tea'] })
      await call('POST', notes, { content: 'arabica', tags: ['coffee'] })
      await call('DELETE', `${notes}/${first.id}`)
      const list = async (query: string) => contents((await call('GET', `${notes}?${query}`)).body)
      assert.deepEqual(await list('tag=tea'), ['black'])
      assert.deepEqual(await list(`asOf=${position}`), ['green'])
      assert.deepEqual(await list(`asOf=${position}&tag=coffee`), [])
      assert.deepEqual(await list(`asOf=${encodeURIComponent(first.createdAt)}`), ['green'])
      assert.deepEqual(await list('asOf=0'), [])
      assert.equal((await call('GET', `${notes}/${first.id}?asOf=${position}`)).body.content, 'green')
      assert.equal((await call('GET', `${notes}/${first.id}/colophon?asOf=${position}`)).body.id, first.id)
      for (const asOf of [String(position + 1_000), 'yesterday', '', '-1', '1.5']) {
        assertError(await call('GET', `${notes}?asOf=${asOf}`), 400, 'validation_error')
      }
    })

    test('refs are counted with their last write, page by page', async () => {
      const { call } = await server.tenant()
      for (const ref of ['b', 'a', 'c', 'a']) await call('POST', `${host}/memory/${ref}/entries`, { content: ref })
      const all = (await call('GET', `${host}/memory`)).body.refs
      const brief = all.map(({ memoryRef, entries }: { memoryRef: string; entries: number }) => [memoryRef, entries])
      assert.deepEqual(brief, [
        ['a', 2],
        ['b', 1],
        ['c', 1],
      ])
      for (const { lastWriteAt } of all) assert.ok(Math.abs(Date.parse(lastWriteAt) - Date.now()) < 60_000)
      const page = (await call('GET', `${host}/memory?limit=2`)).body
      assert.deepEqual(page.refs, all.slice(0, 2))
      assert.deepEqual((await call('GET', `${host}/memory?limit=2&cursor=${page.cursor}`)).body, { refs: all.slice(2) })
    })

    test('an entry is not returned from its expiry instant on', async () => {
      const { call } = await server.tenant()
      const { id, expiresAt } = await makeBrief(async (expiresAt) => {
        const { id } = (await call('POST', notes, { content: 'short', expiresAt })).body
        return (await call('GET', `${notes}/${id}`)).status === 200 ? { id, expiresAt } : null
      })
      await eventually('it is gone', async () => (await call('GET', `${notes}/${id}`)).status === 404)
      assert.ok(Date.now() >= expiresAt.getTime(), 'it went too early')
      assert.deepEqual(contents((await call('GET', notes)).body), [])
    })

    test('an instant that is past or does not exist is refused', async () => {
      const { call } = await server.tenant()
      for (const never of [
        '2020-01-01T00:00:00Z',
        '2999-02-31T00:00:00Z',
        '2999-13-01T00:00:00Z',
        '2999-01-01',
        'soon',
      ]) {
        assertError(await call('POST', notes, { content: 'x', expiresAt: never }), 400, 'validation_error')
      }
    })

    test('a batch is stored as a whole or not at all', async () => {
      const { call } = await server.tenant()
      const entries = [{ content: 'good' }, { content: 'bad', tags: ['source:run'] }]
      assertError(await call('POST', `${notes}:batch`, { entries }), 400, 'validation_error')
      assert.deepEqual(contents((await call('GET', notes)).body), [])
      const many = (count: number) => ({ entries: Array.from({ length: count }, () => ({ content: 'x' })) })
      assertError(await call('POST', `${notes}:batch`, many(1_001)), 400, 'validation_error')
      assertError(await call('POST', `${notes}:batch`, many(0)), 400, 'validation_error')
      assert.equal((await call('POST', `${notes}:batch`, many(1_000))).status, 201)
    })
  })
}
