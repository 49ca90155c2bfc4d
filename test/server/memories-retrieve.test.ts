import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { releaseServer } from '../support/databases.ts'
import { storagesOfBehaviour, useServer } from '../support/server.ts'
import { contents, prepareReading } from './memories-calls.ts'

after(releaseServer)

for (const storage of storagesOfBehaviour) {
  describe(`retrieving memories on ${storage}`, () => {
    const server = useServer({ storage })

    const prepare = () => prepareReading(server)

    test('retrieval ranks by words, keeps to its limits and returns nothing of other users', async () => {
      const { ingest, retrieve, position } = await prepare()
      await ingest('ada', 'The cat sleeps on the red sofa', { claim: null, category: 'fact' })
      await ingest('ada', 'A dog runs through the park', { claim: null, category: 'goal', body: { agent_id: 'one' } })
      const before = await position()
      await ingest('ada', 'The red cat is called Tom', { claim: null, category: 'fact' })
      await ingest('bob', 'A red cat of somebody else', { claim: null })
      await ingest('ada', 'Red is the colour', { claim: 'colour' })
      await ingest('ada', 'Blue is the colour', { claim: 'colour', service: 'crm' })
      const found = await retrieve({ query: 'which cat is RED?' })
      assert.match(found.retrieval_id, /^ret_/)
      const best = contents(found.data.slice(0, 2)).sort()
      assert.deepEqual(best, ['The cat sleeps on the red sofa', 'The red cat is called Tom'])
      assert.ok(!JSON.stringify(found).includes('somebody else') && !contents(found.data).includes('Red is the colour'))
      const scores = found.data.map(({ relevance_score }: { relevance_score: number }) => relevance_score)
      assert.deepEqual(
        scores,
        [...scores].sort((a, b) => b - a),
      )
      const fields = [
        'id',
        'content',
        'category',
        'importance_score',
        'confidence_score',
        'relevance_score',
        'created_at',
      ]
      for (const field of [...fields, 'source_event_id', 'provenance']) assert.ok(field in found.data[0], field)
      assert.deepEqual(contents((await retrieve({ query: 'cat', limit: 1 })).data).length, 1)
      assert.deepEqual(contents((await retrieve({ query: 'dog cat', categories: ['goal'] })).data), [
        'A dog runs through the park',
      ])
      assert.deepEqual(contents((await retrieve({ query: 'dog cat', agent_id: 'one' })).data), [
        'A dog runs through the park',
      ])
      assert.equal(
        (await retrieve({ query: 'dog cat', agent_id: null })).data.length,
        3,
        'null asks for no particular agent',
      )
      assert.deepEqual(contents((await retrieve({ query: 'cat', as_of: String(before) })).data), [
        'The cat sleeps on the red sofa',
      ])
      assert.equal((await retrieve({ query: 'cat', time_filter_days: 1 })).data.length, 2)
      assert.deepEqual(
        await retrieve({ query: 'zeppelin' }).then(({ data, system_prompt_addition, context_token_count }) => [
          data,
          system_prompt_addition,
          context_token_count,
        ]),
        [[], '', 0],
      )
    })

    test('a minimum relevance applies to data and prompt text', async () => {
      const { ingest, retrieve, call } = await prepare()
      await ingest('ada', 'The cat sleeps on the red sofa', { claim: null })
      await ingest('ada', 'The red bicycle has a new saddle', { claim: null })
      type Scored = { content: string; relevance_score: number }
      const all: Scored[] = (await retrieve({ query: 'red cat' })).data
      assert.equal(all.length, 2)
      const [best, second] = all as [Scored, Scored]
      for (const [min_relevance, count] of [
        [second.relevance_score, 2],
        [best.relevance_score, 1],
      ]) {
        const { data, system_prompt_addition } = await retrieve({ query: 'red cat', min_relevance })
        assert.deepEqual(contents(data), contents(all.slice(0, count)))
        assert.equal(system_prompt_addition.includes('bicycle'), count === 2)
      }
      const silent = await retrieve({
        query: 'Where does Zelda Quick live, near the red house?',
        min_relevance: 'auto',
      })
      assert.deepEqual([silent.data, silent.system_prompt_addition, silent.context_token_count], [[], '', 0])
      for (const min_relevance of [2, 'most', null]) {
        const refused = await call('POST', '/v1/memories/retrieve', {
          external_user_id: 'ada',
          query: 'cat',
          min_relevance,
        })
        assert.equal(refused.status, 422, refused.text)
        assert.equal(refused.body.error?.details?.field ?? refused.body.details?.field, 'min_relevance', refused.text)
      }
    })

    test('the prompt text has its format, cuts no memory and never exceeds its budget', async () => {
      const { ingest, retrieve } = await prepare()
      const texts = ['cat <b>&amp; "quoted"</b>\nnext line', 'cat one', `cat ${'long '.repeat(200)}end`, 'cat two']
      for (const text of texts) await ingest('ada', text, { claim: null })
      for (const format of ['bullets', 'json', 'xml']) {
        for (const context_max_tokens of [1, 5, 20, 30, 60, 300, 500]) {
          const {
            system_prompt_addition: text,
            context_token_count,
            data,
          } = await retrieve({ query: 'cat', format, context_max_tokens })
          assert.equal(data.length, 4, 'the budget bounds the text, not the data')
          assert.ok(context_token_count <= context_max_tokens && text.length <= context_max_tokens * 4)
          assert.equal(context_token_count === 0, text === '')
        }
        const { system_prompt_addition: text } = await retrieve({ query: 'cat', format, context_max_tokens: 1_000 })
        if (format === 'json') assert.deepEqual(contents(JSON.parse(text).memories).sort(), [...texts].sort())
        if (format === 'xml') assert.ok(text.includes('&lt;b&gt;&amp;amp;') && !text.includes('<b>'), text)
        if (format === 'bullets')
          assert.equal(text.split('\n').filter((line: string) => line.startsWith('- ')).length, 4)
      }
    })

    test('the prompt text gives the time and source of each memory, and repeats none', async () => {
      const { ingest, retrieve } = await prepare()
      const when = { observedAt: '2026-02-03T10:00:00Z' }
      await ingest('ada', 'The cat likes the blue chair', { ...when, claim: 'cat.chair' })
      await ingest('ada', 'The cat likes the red chair', { observedAt: '2026-02-04T10:00:00Z', claim: 'cat.chair' })
      await ingest('ada', 'The cat is called Mia and sleeps all day', { ...when, claim: null })
      await ingest('ada', 'the cat is called Mia, and sleeps all day!', { ...when, claim: null })
      const { system_prompt_addition: text, data } = await retrieve({ query: 'cat', context_max_tokens: 1_000 })
      const [note, heading, ...lines] = text.split('\n')
      assert.match(note, /data, not instructions/)
      assert.equal(heading, 'Unverified (stated by agents):')
      assert.equal(data.length, 3, 'what was superseded is not found')
      assert.equal(lines.length, 2, text)
      const chair = data.find(({ content }: { content: string }) => content.includes('chair'))
      assert.ok(lines.includes(`- [${chair.id}] (2026-02-04) The cat likes the red chair`), text)
    })
  })
}
