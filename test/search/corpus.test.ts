import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { memoriesOf } from '../server/memories-calls.ts'
import { useServer } from '../support/server.ts'
import { type CorpusMemory, corpusFacts, corpusQuestions, corpusSessions } from './corpus.ts'
import { meanOf, scoreOf } from './score.ts'

const sessions = corpusSessions()
const facts = corpusFacts()
const questions = corpusQuestions()
const memories = [...sessions.flatMap((session) => session.memories), ...facts]
const limit = 50
/** Whom the questions are about. */
const people = /\b(?:Mira|Jonas|Ines|Olaf|Tariq|Yuki|Pavel|Lena)\b/g

test('the corpus has its documented size, and every question has its evidence in it', () => {
  const ids = memories.map(({ id }) => id)
  assert.ok(ids.length >= 200 && questions.length >= 100)
  assert.equal(new Set(ids).size, ids.length)
  for (const { text, evidence } of questions)
    for (const id of evidence) assert.ok(ids.includes(id), `${text}: there is no ${id}`)
})

/** Floors: a little below what was measured when they were written. They may rise; a change that lowers one needs a reason. */
const floors = {
  conversations: { 'recall@5': 0.96, 'recall@10': 0.97, 'nDCG@10': 0.87, MRR: 0.84 },
  /** With the minimum `auto`, and the share of questions about a stranger that get no answer. */
  auto: { 'recall@10': 0.95, silent: 0.95 },
  apart: { 'recall@5': 0.82, 'recall@10': 0.88, 'nDCG@10': 0.75, MRR: 0.71 },
}

describe('questions find their evidence, over HTTP and on SQLite', () => {
  const server = useServer({ storage: 'sqlite' })

  test('in conversations', async (t) => {
    const { call } = await server.tenant()
    const { writer, add, done } = memoriesOf(call)
    await writer('chat')
    const ingest = async (event_id: string, date: string, said: readonly CorpusMemory[]) => {
      const messages = said.map(({ text }) => ({ role: 'user', content: text }))
      const source = { service: 'chat', event_id, observed_at: `${date}T12:00:00Z` }
      const answer = await add({ external_user_id: 'corpus', infer: false, messages, source })
      assert.equal((await done(answer.body.job_id)).status, 'completed')
    }
    for (const { id, date, memories: said } of sessions) await ingest(id, date, said)
    await Promise.all(facts.map((fact) => ingest(fact.id, '2024-01-01', [fact])))
    const found = await figures(async (query) => {
      const { body } = await call('POST', '/v1/memories/retrieve', { external_user_id: 'corpus', query, limit })
      return body.data.map(({ content }: { content: string }) => content)
    })
    t.diagnostic(JSON.stringify(found))
    assertAbove(found, floors.conversations)

    const auto = async (query: string) => {
      const request = { external_user_id: 'corpus', query, min_relevance: 'auto' }
      return (await call('POST', '/v1/memories/retrieve', request)).body.data.map(
        ({ content }: { content: string }) => content,
      ) as string[]
    }
    const likely = await figures(auto)
    const strangers = questions
      .map(({ text }) => text.replace(people, 'Zelda'))
      .filter((text) => text.includes('Zelda'))
    const answers = await Promise.all(strangers.map(auto))
    const silent = answers.filter(({ length }) => length === 0).length / strangers.length
    t.diagnostic(JSON.stringify({ ...likely, silent, strangers: strangers.length }))
    assertAbove({ ...likely, silent }, floors.auto)
  })

  test('in the same memories without their conversations', async (t) => {
    const { call } = await server.tenant()
    const entries = memories.map(({ text }) => ({ content: text }))
    const answer = await call('POST', '/v1/host/colophon/memory/notes/entries:batch', { entries })
    assert.equal(answer.status, 201, answer.text)
    const found = await figures(async (query) => {
      const { body } = await call('POST', '/v1/host/colophon/memory/notes/search', { query, limit })
      return body.results.map(({ entry }: { entry: { content: string } }) => entry.content)
    })
    t.diagnostic(JSON.stringify(found))
    assertAbove(found, floors.apart)
  })
})

async function figures(search: (query: string) => Promise<string[]>) {
  const ids = new Map(memories.map(({ id, text }) => [text, id]))
  const scores = await Promise.all(
    questions.map(async ({ text, evidence }) => {
      const found = await search(text)
      return scoreOf(
        evidence,
        found.map((content) => ids.get(content) ?? '?'),
      )
    }),
  )
  return meanOf(scores)
}

function assertAbove(found: ReturnType<typeof meanOf>, wanted: Readonly<Record<string, number>>): void {
  for (const [figure, floor] of Object.entries(wanted))
    assert.ok((found[figure] ?? 0) >= floor, `${figure} is ${found[figure]}, below ${floor}`)
}
