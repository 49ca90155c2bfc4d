import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ConversationSegment, candidatesOf, type SearchRow } from './candidate.ts'
import { checkMinRelevance, isRelevant } from './min-relevance.ts'
import { parseQuery } from './query.ts'
import { queryNames } from './query-names.ts'
import { rank } from './rank.ts'
import { relevancesOf } from './relevance.ts'
import { utteranceOf } from './speaker.ts'

function rowsOf(lines: readonly string[], sessionId: string | null): SearchRow[] {
  return lines.map((text, at) => {
    return { id: `m${at}`, text, ...utteranceOf({ content: text }), observedAt: at, sessionId }
  })
}

function hits(text: string, rows: readonly SearchRow[], segments: readonly ConversationSegment[]) {
  const query = parseQuery(text)
  const frequency = new Map(
    query.terms.map(({ stem }) => [stem, rows.filter(({ terms }) => terms.includes(stem)).length]),
  )
  const statistics = { entries: rows.length, frequency }
  const ranked = rank(query, statistics, candidatesOf(segments))
  return ranked.map((scored, at) => ({
    text: scored.candidate.row.text,
    ...(relevancesOf(query, statistics, ranked)[at] as { relevance: number; isKept: boolean }),
  }))
}

const talk = rowsOf(
  [
    'Ana: I adopted a puppy in Lisbon.',
    'Ben: What is its name?',
    'Ana: Clover, and she sleeps on my sofa.',
    'Ben: My sister plays the cello in an orchestra.',
    'Ana: Which orchestra is it?',
    'Ben: The one of the opera house.',
  ],
  's1',
)
const conversation = [{ rows: talk, isFromBeginning: true }]
const facts = rowsOf(['Prefers dark mode.', 'Deploys with Docker on Fridays.', 'Writes Go at work.'], null)
const alone = facts.map((row) => ({ rows: [row], isFromBeginning: false }))

test('a question about a person that no message mentions keeps nothing, and one about a speaker keeps the answer', () => {
  assert.deepEqual(
    hits('What did Zelda adopt in Lisbon?', talk, conversation).filter((hit) => hit.isKept),
    [],
  )
  const [first] = hits('What did Ana adopt in Lisbon?', talk, conversation)
  assert.equal(first?.text, 'Ana: I adopted a puppy in Lisbon.')
  assert.ok(first.isKept)
})

test('of memories that stand alone, auto keeps the one that matches', () => {
  const kept = hits('How are deploys done with docker?', facts, alone).filter((hit) => hit.isKept)
  assert.deepEqual(
    kept.map(({ text }) => text),
    ['Deploys with Docker on Fridays.'],
  )
})

test('of memories that stand alone, auto keeps every one that begins with a name of a long question, and not what has few of its words', () => {
  const named = ['Fastify serves HTTP.', 'Kubernetes runs on EKS.', 'TypeScript in strict mode.']
  const other = 'Tea with the team, in a cup with a handle.'
  const rows = rowsOf([...named, other, 'Dark mode.', 'Lives in Lisbon.', 'Sings in a choir.'], null)
  const segments = rows.map((row) => ({ rows: [row], isFromBeginning: false }))
  const question =
    'After a long debate in the team we want callers to see what went wrong, but some prefer one handler in Fastify. Since TypeScript has no pattern matching and Kubernetes restarts the service, where do you land?'
  const kept = hits(question, rows, segments).filter((hit) => hit.isKept)
  assert.deepEqual(kept.map(({ text }) => text).sort(), named)
})

test('of long texts, auto keeps one that is nearly as good as the best, and none that has the words far apart', () => {
  const filler = Array.from({ length: 150 }, (_, at) => `filler${at}`).join(' ')
  const keptOf = (second: string) => {
    const texts = ['Deploys with Docker on Fridays.', second, 'Writes Go at work.']
    const rows = rowsOf(
      texts.map((text) => `${text} ${filler}`),
      null,
    )
    const segments = rows.map((row) => ({ rows: [row], isFromBeginning: false }))
    return hits('How are deploys done with docker on Fridays?', rows, segments).filter((hit) => hit.isKept).length
  }
  const apart = `Deploys. ${filler} Docker. ${filler} Fridays.`
  assert.deepEqual([keptOf('Docker deploys wait. Fridays are quiet.'), keptOf(apart)], [2, 1])
})

test('among long texts, auto keeps nothing if none bears on the question, and the one that bears', () => {
  const guides = [
    'The boiler heats the water of the whole house. Open the valve slowly and wait until the pressure is stable.',
    'Plant tulip bulbs in autumn. Cover the bed with straw and water it once each week.',
    'The ferry to the island leaves twice each day. Buy a ticket at the harbour before you travel.',
    'Store the backup of the database on a second disk. Restore it once each month and check the tables.',
    'A bicycle chain needs oil after rain. Clean the wheels, and check the pressure of the tyres.',
    'Bake the bread on a hot stone. Let the dough rest over night, and check the crust after an hour.',
    'The choir meets on Monday in the school. Bring the notes of the songs, and water to drink.',
    'Charge the battery of the camera over night. Clean the lens with a soft cloth before you travel.',
  ]
  const rows = rowsOf(
    guides.map((guide, nth) => {
      const rest = Array.from({ length: 150 }, (_, at) => `${at % 5 === 0 ? 'house check day' : ''} other${nth}x${at}`)
      return `${guide} ${rest.join(' ')}`
    }),
    null,
  )
  const segments = rows.map((row) => ({ rows: [row], isFromBeginning: false }))
  const keptOf = (question: string) =>
    hits(question, rows, segments)
      .filter((hit) => hit.isKept)
      .map(({ text }) => guides.findIndex((guide) => text.startsWith(guide)))
  for (const question of [
    'Which doctor treats a broken arm on the weekend?',
    'How do I check the tax return of a company?',
    'How long does a camel walk through the desert without water?',
    'configure proxy headers timeout day',
  ])
    assert.deepEqual(keptOf(question), [], question)
  for (const [question, at] of [
    ['When should tulip bulbs be planted?', 1],
    ['How do I restore the backup of the database?', 3],
    ['Where do I buy a ticket for the ferry to the island?', 2],
  ] as const)
    assert.equal(keptOf(question)[0], at, question)
})

test('a short message among long ones is judged as a message', () => {
  const long = Array.from({ length: 4 }, (_, nth) => {
    const rest = Array.from({ length: 150 }, (__, at) => `other${nth}x${at}`)
    return `Ben: ${rest.join(' ')} We have a round table in the new kitchen since last spring. ${rest.join(' ')}`
  })
  const rows = rowsOf(
    [...long.flatMap((text) => [text, 'Ana: I see.']), 'Ana: The lamp is from Porto.', 'Ben: Nice.'],
    's1',
  )
  const found = hits(
    'In which old town did we buy the red lamp for the round table in the new kitchen last spring?',
    rows,
    [{ rows, isFromBeginning: true }],
  )
  assert.equal(
    found.find(({ text }) => text.includes('Porto'))?.isKept,
    true,
    JSON.stringify(found.map(({ text, relevance }) => [text.slice(0, 30), relevance])),
  )
})

test('a short memory among long texts is judged as among short ones', () => {
  const long = Array.from({ length: 4 }, (_, nth) => {
    const rest = Array.from({ length: 150 }, (__, at) => `other${nth}x${at}`)
    return `A debate of the team. ${rest.join(' ')} Nothing went wrong. ${rest.join(' ')}`
  })
  const rows = rowsOf(
    ['Fastify serves HTTP.', 'Dark mode.', 'Lives in Lisbon.', 'Tea in a cup with a handle.', ...long],
    null,
  )
  const segments = rows.map((row) => ({ rows: [row], isFromBeginning: false }))
  const question =
    'After some talks we want callers to see what happened, but some prefer one handler in Fastify. Where do you land?'
  const [first, ...others] = hits(question, rows, segments)
  assert.deepEqual([first?.text, first?.isKept], ['Fastify serves HTTP.', true])
  assert.ok(others.every(({ text, isKept }) => !isKept || text.startsWith('A debate')))
})

test('a name is a word with a capital that does not begin a sentence, or a possessive', () => {
  const names = (text: string) => queryNames(parseQuery(text)).map(({ plain }) => plain)
  assert.deepEqual(names('When did Caroline meet Ben in May?'), ['caroline', 'ben'])
  assert.deepEqual(names("Caroline's garden"), ['caroline'])
  assert.deepEqual(names('Where is it? Nobody knows.'), [])
})

test('relevance never rises along the list, is from 0 to 1, and does not depend on the length of the list', () => {
  const words = fc.constantFrom('puppy', 'Lisbon', 'sofa', 'cello', 'orchestra', 'Ana', 'Zelda', 'opera', 'deploys')
  fc.assert(
    fc.property(fc.array(words, { minLength: 1, maxLength: 6 }), (chosen) => {
      const query = parseQuery(chosen.join(' '))
      const statistics = {
        entries: talk.length,
        frequency: new Map(
          query.terms.map(({ stem }) => [stem, talk.filter(({ terms }) => terms.includes(stem)).length]),
        ),
      }
      const ranked = rank(query, statistics, candidatesOf(conversation))
      const all = relevancesOf(query, statistics, ranked)
      for (const [at, { relevance, isKept }] of all.entries()) {
        const before = all[at - 1]
        assert.ok(relevance >= 0 && relevance <= (before?.relevance ?? 1))
        assert.ok(!isKept || (before?.isKept ?? true))
      }
      assert.deepEqual(relevancesOf(query, statistics, ranked.slice(0, 3)), all.slice(0, 3))
    }),
    { numRuns: 50 },
  )
})

test('a minimum is a number from 0 to 1 or auto', () => {
  for (const value of [-0.1, 1.1, Number.NaN, '0.5', 'Auto', null, [], true])
    assert.throws(() => checkMinRelevance('minRelevance', value), { code: 'min_relevance_invalid' })
  const hit = { relevance: 0.5, isKept: false }
  assert.deepEqual(
    [isRelevant(hit, undefined), isRelevant(hit, 0.5), isRelevant(hit, 0.500001), isRelevant(hit, 'auto')],
    [true, true, false, false],
  )
})
