import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { releaseServer } from '../support/databases.ts'
import { assertError } from '../support/envelope.ts'
import { type Call, storagesOfBehaviour, useServer } from '../support/server.ts'
import { memoriesOf } from './memories-calls.ts'
import { chain, ended, gate, host, put, register, startRun, startWaiting } from './runs-calls.ts'

after(releaseServer)

type Hit = { entry: { id: string; content: string }; score: number }
const path = (ref: string) => `${host}/memory/${encodeURIComponent(ref)}/search`
const contents = (hits: readonly Hit[]) => hits.map(({ entry }) => entry.content)

for (const storage of [...storagesOfBehaviour, 'memory'] as const) {
  describe(`search on ${storage}`, () => {
    const server = useServer({ storage })

    async function prepare() {
      const tenant = await server.tenant()
      const { call } = tenant
      const write = async (content: string, more: object = {}, ref = 'notes') => {
        const answer = await call('POST', `${host}/memory/${encodeURIComponent(ref)}/entries`, { content, ...more })
        assert.equal(answer.status, 201, answer.text)
        return answer.body as { id: string; createdAt: string }
      }
      const search = async (query: string, more: object = {}, ref = 'notes') => {
        const answer = await call('POST', path(ref), { query, ...more })
        assert.equal(answer.status, 200, answer.text)
        return answer.body as { results: Hit[]; position: number }
      }
      return { ...tenant, write, search }
    }

    test('a search finds texts in other words, best first, and explains each hit', async () => {
      const { write, search, call } = await prepare()
      await write('Ada adopted two herons in Lisbon', { tags: ['birds'] })
      await write('Bob paints lighthouses')
      const late = await write('A heron stood in the garden')
      const { results, position } = await search('who adopts a HERON?', { explain: true, highlights: true })
      assert.deepEqual(contents(results), ['Ada adopted two herons in Lisbon', 'A heron stood in the garden'])
      const [first] = results as (Hit & { parts: Record<string, number>; matched: string[]; snippet: Snippet })[]
      assert.ok(first)
      const sum = Object.values(first.parts).reduce((total, part) => total + part, 0)
      assert.ok(Math.abs(sum - first.score) < 0.001)
      assert.deepEqual(first.matched, ['adopt', 'heron'])
      const marked = first.snippet.highlights.map(({ start, end }) => first.snippet.text.slice(start, end))
      assert.deepEqual(marked, ['adopted', 'herons'])
      assert.deepEqual(contents((await search('heron', { tag: 'birds' })).results), [
        'Ada adopted two herons in Lisbon',
      ])
      assert.deepEqual(contents((await search('heron', { limit: 1 })).results).length, 1)
      assert.deepEqual(contents((await search('heron', { from: late.createdAt, recency: true })).results), [
        'A heron stood in the garden',
      ])
      assert.deepEqual(contents((await search('heron', { asOf: position - 2 })).results), [
        'Ada adopted two herons in Lisbon',
      ])
      assert.deepEqual(contents((await search('heron', { tokenBudget: 7 })).results), ['A heron stood in the garden'])
      await call('DELETE', `${host}/memory/notes/entries/${late.id}`)
      assert.deepEqual(contents((await search('garden')).results), [])
      assert.deepEqual(contents((await search('garden', { asOf: position })).results), ['A heron stood in the garden'])
    })

    test('other refs, other tenants and malformed refs give no hits', async () => {
      const { write, search } = await prepare()
      await write('a heron here')
      assert.deepEqual((await search('heron', {}, 'elsewhere')).results, [])
      assert.deepEqual((await search('heron', {}, ' ')).results, [])
      const other = await prepare()
      assert.deepEqual((await other.search('heron')).results, [])
    })

    test('an invalid search is refused', async () => {
      const { call } = await prepare()
      const refuse = async (body: object, code = 'validation_error') =>
        assertError(await call('POST', path('notes'), body), 400, code)
      await refuse({})
      await refuse({ query: 'x', unknown: 1 })
      await refuse({ query: 'x', limit: 0 })
      await refuse({ query: 'x', limit: 101 })
      await refuse({ query: 'x', mode: 'semantic' })
      await refuse({ query: 'x'.repeat(4_097) })
      await refuse({ query: 'x', asOf: 99 })
      await refuse({ query: 'x', category: 'gossip' })
      await refuse({ query: 'x', from: 'yesterday' })
      await refuse({ query: 'x', tokenBudget: 0 })
    })

    test('a minimum relevance keeps exactly the hits at or above it, and auto a first part of them, or none', async () => {
      const { write, search, call } = await prepare()
      await write('Ada adopted two herons in Lisbon')
      await write('A heron stood in the garden')
      await write('Bob paints lighthouses in Lisbon')
      type Relevant = Hit & { relevance: number }
      const query = 'Which herons did Ada adopt in Lisbon?'
      const all = (await search(query)).results as Relevant[]
      assert.equal(all.length, 3)
      for (const min of [0, ...all.map(({ relevance }) => relevance), 1]) {
        const kept = (await search(query, { minRelevance: min })).results
        assert.deepEqual(
          kept,
          all.filter(({ relevance }) => relevance >= min),
        )
      }
      const auto = (await search(query, { minRelevance: 'auto' })).results
      assert.deepEqual(contents(auto), ['Ada adopted two herons in Lisbon'])
      assert.deepEqual((await search('Where does Zelda Quick live?', { minRelevance: 'auto' })).results, [])
      await write('Zoe saw herons in Lisbon', { trust: 'untrusted' })
      const explained = (
        await call('POST', path('notes'), { query, minRelevance: 'auto', tokenBudget: 1, explain: true })
      ).body
      assert.deepEqual(explained.results, [])
      const reasonOf = new Map(explained.leftOut.map(({ id, reason }: Record<string, string>) => [id, reason]))
      assert.deepEqual(
        all.map(({ entry }) => reasonOf.get(entry.id)),
        ['over_budget', 'below_relevance', 'below_relevance'],
      )
      assert.deepEqual([...reasonOf.values()].at(-1), 'below_trust')
      assert.ok(!JSON.stringify(explained.leftOut).includes('Lisbon'))
      for (const minRelevance of [-1, 1.5, '0.5', 'none', null, [], {}]) {
        const refused = await call('POST', path('notes'), { query, minRelevance })
        assertError(refused, 422, 'min_relevance_invalid')
        assert.equal(refused.body.details.field, 'minRelevance')
      }
    })

    test('no query text causes an error', async () => {
      const { write, search } = await prepare()
      for (const content of ['a heron', '"quoted" AND (broken', '猫 🦩 NEAR/2 *']) await write(content)
      const odd = fc.constantFrom(
        ...['"', "'", '*', '(', ')', ':', '^', '-', '+', '~', '\\', '&', '|', '!', '<->', ' ', '\u0000', '%', '_', ';'],
        ...[
          'AND',
          'OR',
          'NOT',
          'NEAR',
          'heron',
          '猫',
          '🦩',
          '👩‍👩‍👧',
          'é',
          'e\u0301',
          '\ud800',
          'ﷺ',
          '1,234',
          'x'.repeat(300),
        ],
      )
      const query = fc.array(odd, { maxLength: 12 }).map((parts) => parts.join(''))
      await fc.assert(
        fc.asyncProperty(query, async (text) => {
          await search(text.toWellFormed())
        }),
        { numRuns: 60 },
      )
    })

    test('a run searches its snapshot and its own writes, and a replay gets the same hits', async () => {
      const { call, write, search } = await prepare()
      await write('a heron of before', { tags: ['kept'] })
      const look = (id: string) => ({
        id,
        typeId: 'colophon.memory.search',
        config: { memoryRef: 'notes', query: '{{inputs.query}}', into: id },
      })
      await register(
        call,
        chain('searches', [look('first'), gate('gate'), look('second'), put('keep', 'my own heron'), look('third')]),
      )
      const runId = await startWaiting(call, 'searches', { inputs: { query: 'heron' } })
      for (let n = 0; n < 5; n++) await write(`a heron of others ${n}`)
      await answerGate(call, runId)
      const run = await ended(call, runId)
      assert.equal(run.status, 'completed', JSON.stringify(run))
      const { first, second, third } = run.variables
      assert.deepEqual(contents(first), ['a heron of before'])
      assert.deepEqual(second, first)
      assert.deepEqual(contents(third).sort(), ['a heron of before', 'my own heron'])
      assert.deepEqual(contents((await search('heron', { runId })).results).sort(), contents(third).sort())
      const byQuery = (id: string, body: object = {}) =>
        call('POST', `${host}/memory/notes/search?runId=${id}`, { query: 'heron', ...body })
      assert.deepEqual(contents((await byQuery(runId)).body.results).sort(), contents(third).sort())
      assert.equal((await byQuery(runId, { runId })).status, 200)
      assertError(await byQuery(runId, { runId: 'run_other' }), 400, 'validation_error')
      const { reads } = (await call('GET', `${host}/runs/${runId}/reads`)).body
      assert.deepEqual(
        reads.map(({ op, entryIds }: { op: string; entryIds: string[] }) => [op, entryIds.length]),
        [
          ['search', 1],
          ['search', 1],
          ['search', 2],
        ],
      )
      const answer = await call('POST', `/v1/runs/${runId}:fork`, { fromSeq: 0, mode: 'replay' })
      assert.equal(answer.status, 201, answer.text)
      const replay = await ended(call, answer.body.runId)
      assert.deepEqual(replay.variables.third, third)
      assert.deepEqual(replay.variables.first, first)
    })

    test('a search node without a query, or with an unknown member, is refused', async () => {
      const { call } = await prepare()
      for (const config of [{ memoryRef: 'notes' }, { memoryRef: 'notes', query: 'x', limits: 3 }]) {
        const node = { id: 'bad', typeId: 'colophon.memory.search', config }
        assertError(await call('POST', `${host}/workflows`, chain('bad', [node])), 400, 'validation_error')
      }
      await register(
        call,
        chain('scratch', [
          put('keep', 'a heron in hand', 'scratch:'),
          put('other', 'nothing', 'scratch:'),
          {
            id: 'look',
            typeId: 'colophon.memory.search',
            config: { memoryRef: 'scratch:', query: 'herons', into: 'found' },
          },
        ]),
      )
      const run = await ended(call, await startRun(call, 'scratch'))
      assert.deepEqual(contents(run.variables.found), ['a heron in hand'])
    })

    test('a list node returns the newest entries that fit in its budget, cuts none, and a replay reads the same', async () => {
      const { call, write } = await prepare()
      const texts = ['x'.repeat(40), 'y'.repeat(41), 'z'.repeat(400)]
      for (const text of texts) await write(text)
      for (const ref of ['notes', 'scratch:']) {
        const list = (tokenBudget: number) => ({
          id: `list${tokenBudget}`,
          typeId: 'colophon.memory.list',
          config: { memoryRef: ref, tokenBudget, into: `list${tokenBudget}` },
        })
        const own = ref === 'notes' ? [] : texts.map((text, at) => put(`put${at}`, text, ref))
        await register(call, chain('budgets', [...own, list(10), list(20), list(21)]))
        const runId = await startRun(call, 'budgets')
        const { variables } = await ended(call, runId)
        const read = (name: string) => variables[name].map(({ content }: { content: string }) => content)
        // The third is larger than any of the budgets; the second, of eleven tokens, is larger than the first budget.
        assert.deepEqual(
          [read('list10'), read('list20'), read('list21')],
          [[texts[0]], [texts[1]], [texts[1], texts[0]]],
        )
        const answer = await call('POST', `/v1/runs/${runId}:fork`, { fromSeq: 0, mode: 'replay' })
        assert.deepEqual((await ended(call, answer.body.runId)).variables.list21, variables.list21)
      }
      const bad = { id: 'bad', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', tokenBudget: 0 } }
      await register(call, chain('bad', [bad]))
      assert.equal((await ended(call, await startRun(call, 'bad'))).status, 'failed')
    })

    test('messages of one conversation raise each other’s rank, also when they are ingested one by one', async () => {
      const { call, search } = await prepare()
      const { done, writer } = memoriesOf(call)
      await writer('chat', 50)
      const ingest = async (event_id: string, messages: readonly string[], scope?: object) => {
        const answer = await call('POST', '/v1/memories/add', {
          external_user_id: 'ada',
          infer: false,
          messages: messages.map((content) => ({ role: 'user', content })),
          source: { service: 'chat', event_id, observed_at: '2026-01-01T00:00:00Z', ...(scope ? { scope } : {}) },
        })
        assert.equal(answer.status, 202, answer.text)
        await done(answer.body.job_id)
      }
      await ingest('whole', [
        'Bob: What bird did you see at the harbour?',
        'Ada: A tall grey one, it was lovely.',
        'Bob: Nice.',
      ])
      const found = contents((await search('which bird was at the harbour', {}, 'subject:ada')).results)
      assert.ok(found.includes('Ada: A tall grey one, it was lovely.'), JSON.stringify(found))
      const scope = { session_id: 'talk-1' }
      await ingest('one', ['Cleo: Where is the violin kept these days?'], scope)
      await ingest('two', ['Dan: Under the stairs.'], scope)
      const violin = contents((await search('where is the violin', {}, 'subject:ada')).results)
      assert.deepEqual(violin.slice(0, 2).sort(), [
        'Cleo: Where is the violin kept these days?',
        'Dan: Under the stairs.',
      ])
    })
  })
}

type Snippet = { text: string; highlights: { start: number; end: number }[] }

async function answerGate(call: Call, runId: string): Promise<void> {
  const answer = await call('POST', `/v1/runs/${runId}/interrupts/gate`, { resumeValue: { action: 'accept' } })
  assert.equal(answer.status, 200, answer.text)
}
