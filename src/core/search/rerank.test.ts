import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { limits } from '../limits.ts'
import { candidatesOf, type SearchRow } from './candidate.ts'
import { parseQuery } from './query.ts'
import { rank, rankFirst } from './rank.ts'
import { kindOf, rerankFeatures, weightsOf } from './rerank.ts'
import { firstRankingOf } from './rerank-features.ts'
import { rerankWeights } from './rerank-weights.ts'
import { utteranceOf } from './speaker.ts'

const filler = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `filler${from + at}`).join(' ')

function searchIn(text: string, contents: readonly string[], sessionId: string | null) {
  const rows = contents.map((content, at): SearchRow => {
    return { id: `m${at}`, text: content, ...utteranceOf({ content }), observedAt: at, sessionId }
  })
  const query = parseQuery(text)
  const frequency = new Map(
    query.terms.map(({ stem }) => [stem, rows.filter(({ terms }) => terms.includes(stem)).length]),
  )
  const segments =
    sessionId === null
      ? rows.map((row) => ({ rows: [row], isFromBeginning: false }))
      : [{ rows, isFromBeginning: true }]
  return [query, { entries: rows.length, frequency }, candidatesOf(segments)] as const
}

test('of texts with the words in one passage, the one with the words closer together comes first', () => {
  const near = `${filler(60)} heron ${filler(1, 90)} nests near a lighthouse ${filler(60, 100)}`
  const far = `${filler(60)} heron ${filler(14, 200)} nests ${filler(14, 300)} lighthouse ${filler(60, 400)}`
  for (const texts of [
    [near, far],
    [far, near],
  ]) {
    const [first] = rank(...searchIn('heron nests lighthouse', texts, null))
    assert.equal(first?.candidate.row.text, near)
  }
})

test('only the best are ranked again: the others come after them, in the order of the first ranking', () => {
  const words = ['tea', 'green tea', 'green tea pot', 'pot', 'tea tea']
  const some = fc.array(fc.constantFrom(...words), { minLength: limits.searchRerankedMax, maxLength: 90 })
  fc.assert(
    fc.property(some, fc.boolean(), (contents, isConversation) => {
      const asked = searchIn('green tea pot', contents, isConversation ? 's1' : null)
      const idsOf = (ranked: ReturnType<typeof rank>) => ranked.map(({ candidate }) => candidate.row.id)
      const first = idsOf(rankFirst(...asked).ranked)
      const ranked = rank(...asked)
      const best = limits.searchRerankedMax
      assert.deepEqual(idsOf(ranked).slice(0, best).sort(), first.slice(0, best).sort())
      assert.deepEqual(idsOf(ranked).slice(best), first.slice(best))
      for (const [at, { score }] of ranked.entries())
        assert.ok(score <= (ranked[at - 1]?.score ?? Number.POSITIVE_INFINITY) + 1e-9)
    }),
    { numRuns: 30 },
  )
})

test('every weight belongs to a feature', () => {
  for (const [session, kind, list] of [
    ['s1', 'message', 'message'],
    ['s1', 'message', 'messageWithVectors'],
    [null, 'text', 'text'],
  ] as const) {
    const texts = ['Ana: tea?', 'Ben: tea at 5'].map((text) => (session === null ? `${text} ${filler(200)}` : text))
    const { index, ranked } = rankFirst(...searchIn('tea', texts, session))
    const [scored] = ranked
    assert.ok(scored)
    const hasVectors = list === 'messageWithVectors'
    const first = firstRankingOf(ranked, ranked, hasVectors ? new Map([['m0', 0.5]]) : undefined)
    assert.equal(kindOf(first, scored), kind)
    assert.equal(weightsOf(kind, hasVectors), list)
    const features = rerankFeatures(kind, index, first, scored)
    for (const name of Object.keys(rerankWeights[list])) assert.ok(name in features, name)
    for (const value of Object.values(features)) assert.ok(Number.isFinite(value))
  }
})

test('with vectors, messages are ranked again with the similarity of the messages around them', () => {
  const texts = ['Ana: tea?', 'Ben: tea at five', 'Ana: green tea', 'Ben: my tea is cold']
  const asked = searchIn('tea', texts, 's1')
  const similarities = new Map([
    ['m0', 0.9],
    ['m1', 0.1],
    ['m2', 0.2],
    ['m3', 0.3],
  ])
  const changeOf = (ranked: ReturnType<typeof rank>, id: string) =>
    ranked.find(({ candidate }) => candidate.row.id === id)?.changes ?? {}
  const ranked = rank(...asked, { similarities })
  const [before, later] = [changeOf(ranked, 'm1').similarBefore ?? 0, changeOf(ranked, 'm2').similarBefore ?? 0]
  assert.ok(before > later, 'the answer to a similar question gains')
  assert.ok(!('similarBefore' in changeOf(rank(...asked), 'm1')))
})
