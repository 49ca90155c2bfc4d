import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { assertError, assertProvenanceError } from '../support/envelope.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { host, memoriesOf } from './memories-calls.ts'

after(releaseServer)

const entries = `${host}/memory/notes/entries`
const asQuery = (filter: unknown) => `filter=${encodeURIComponent(JSON.stringify(filter))}`

for (const storage of storagesOfBehaviour) {
  describe(`filters on ${storage}`, () => {
    const server = useServer({ storage })

    test('lists and searches of a ref, with pages that a later write does not shift', async () => {
      const { call } = await server.tenant()
      for (let nth = 0; nth < 7; nth++)
        await call('POST', entries, { content: `tea ${nth}`, tags: [nth % 2 === 0 ? 'even' : 'odd'] })
      const filter = { or: [{ tag: 'even' }, { subject: 'ada' }], not: { trust: { lt: 'agent' } } }
      const listed: string[] = []
      for (let cursor: string | undefined, pages = 0; pages < 5; pages++) {
        const next = cursor === undefined ? '' : `&cursor=${cursor}`
        const { status, body, text } = await call('GET', `${entries}?limit=3&${asQuery(filter)}${next}`)
        assert.equal(status, 200, text)
        listed.push(...body.entries.map(({ content }: { content: string }) => content))
        if (pages === 0) await call('POST', entries, { content: 'tea 8', tags: ['even'] })
        cursor = body.cursor
        if (cursor === undefined) break
      }
      assert.deepEqual(listed, ['tea 6', 'tea 4', 'tea 2', 'tea 0'])
      const { body } = await call('POST', `${host}/memory/notes/search`, {
        query: 'tea',
        filter: { not: { tag: 'odd' } },
      })
      assert.deepEqual(body.results.map(({ entry }: { entry: { content: string } }) => entry.content).sort(), [
        'tea 0',
        'tea 2',
        'tea 4',
        'tea 6',
        'tea 8',
      ])
    })

    test('lists and retrievals about a person, by confidence, writer and metadata', async () => {
      const { call } = await server.tenant()
      const { writer, ingest } = memoriesOf(call)
      await writer('chat', 50)
      const state = (content: string, confidence: number, plan: string) =>
        ingest('ada', content, { claim: null, category: 'fact', confidence, body: { metadata: { plan } } })
      await state('Ada drinks green tea.', 0.9, 'pro')
      await state('Ada drinks black tea.', 0.4, 'free')
      const contents = (data: readonly { content: string }[]) => data.map(({ content }) => content)
      const list = async (filter: unknown) => {
        const { status, body, text } = await call('GET', `/v1/memories?external_user_id=ada&${asQuery(filter)}`)
        assert.equal(status, 200, text)
        return contents(body.data)
      }
      assert.deepEqual(await list({ confidence: { gte: 0.5 }, writer: 'chat' }), ['Ada drinks green tea.'])
      assert.deepEqual(await list({ metadata: { plan: { in: ['free', 'none'] } } }), ['Ada drinks black tea.'])
      const draft = { external_user_id: 'ada', query: 'tea', filter: { metadata: { plan: 'pro' } } }
      const retrieved = await call('POST', '/v1/memories/retrieve', draft)
      assert.deepEqual(contents(retrieved.body.data), ['Ada drinks green tea.'])
      assert.ok(!retrieved.body.system_prompt_addition.includes('black'))
    })

    test('a writer is the service that reads show: in lists, retrievals and searches, now and at earlier positions', async () => {
      const { call } = await server.tenant()
      const { ingest, writer, list } = memoriesOf(call)
      await writer('sa', 10)
      await writer('sb', 90)
      await ingest('ada', 'dark mode', { service: 'sa', eventId: 'a' })
      const { head } = (await call('GET', `${host}/audit`)).body
      await ingest('ada', 'Dark mode.', { service: 'sb', eventId: 'b' })
      await ingest('ada', 'light mode', { service: 'sa', eventId: 'c' })
      const [shown] = await list('ada')
      assert.deepEqual([shown.provenance.service, shown.source_event_id, shown.version], ['sb', 'b', 1])
      const listed = async (query: string) => {
        const page = await call('GET', `/v1/memories?external_user_id=ada&include_superseded=true&${query}`)
        assert.equal(page.status, 200, page.text)
        return page.body.data.map(({ content }: { content: string }) => content)
      }
      const found = async (service: string, asOf?: number) => {
        const retrieved = { external_user_id: 'ada', query: 'mode', filter: { writer: service }, as_of: asOf }
        const searched = { query: 'mode', writer: service, asOf }
        const answers = [
          (await call('POST', '/v1/memories/retrieve', retrieved)).body.data,
          (await call('POST', `${host}/memory/subject%3Aada/search`, searched)).body.results.map(
            ({ entry }: { entry: object }) => entry,
          ),
          (await call('POST', `${host}/search`, { ...searched, kinds: ['memories'] })).body.memories,
          (await call('POST', `${host}/search`, { ...searched, kinds: ['memories'], memoryRef: 'subject:ada' })).body
            .memories,
        ]
        return answers.map((all: { content: string }[]) => all.map(({ content }) => content))
      }
      for (const query of [asQuery({ writer: 'sb' }), 'source_service=sb', asQuery({ not: { writer: 'sa' } })])
        assert.deepEqual(await listed(query), ['dark mode'], query)
      for (const query of [asQuery({ writer: 'sa' }), 'source_service=sa'])
        assert.deepEqual(await listed(query), ['light mode'], query)
      for (const [service, then] of [
        ['sa', ['dark mode']],
        ['sb', []],
      ] as const)
        assert.deepEqual(await listed(`source_service=${service}&as_of=${head.position}`), then, `${service} before`)
      assert.deepEqual(await found('sb'), Array(4).fill(['dark mode']))
      assert.deepEqual(await found('sa'), Array(4).fill([]))
      assert.deepEqual(await found('sa', head.position), Array(4).fill(['dark mode']), 'before')
      assert.deepEqual(await found('sb', head.position), Array(4).fill([]), 'before')
      assertProvenanceError(
        await call('GET', '/v1/memories?external_user_id=ada&source_service='),
        422,
        'validation_error',
      )
    })

    test('a filter that is malformed, too costly or not for readers is refused', async () => {
      const { call } = await server.tenant()
      const search = (filter: unknown, more: object = {}) =>
        call('POST', `${host}/memory/notes/search`, { query: 'tea', filter, ...more })
      const wrong = await search({ colour: 'red' })
      assertError(wrong, 400, 'validation_error')
      assert.equal(wrong.body.details.field, 'filter.colour')
      assertError(await call('GET', `${entries}?filter=red`), 400, 'validation_error')
      const costly = await search({ tag: { in: Array(201).fill('a') } })
      assertError(costly, 422, 'filter_too_costly')
      assert.equal(costly.body.details.limit, 'filterValuesMax')
      assertError(await search({ metadata: { plan: 'pro' } }, { reader: 'ana' }), 403, 'reader_forbidden')
      const list = await call('GET', `/v1/memories?external_user_id=ada&${asQuery({ tag: 3 })}`)
      assertProvenanceError(list, 422, 'validation_error')
    })
  })
}
