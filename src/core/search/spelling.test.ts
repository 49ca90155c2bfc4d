import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limits } from '../limits.ts'
import { indexedTerms } from './indexed-terms.ts'
import { parseQuery } from './query.ts'
import { spellingStarts, withSpellings } from './spelling.ts'

const entries = (...texts: string[]) => texts.map((text) => ({ terms: indexedTerms(text) }))
const spelled = (query: string, ...texts: string[]) =>
  withSpellings(parseQuery(query), entries(...texts)).terms.map(({ stem }) => stem)

test('a word is taken for the one that entries have, with one letter more, less, other or exchanged', () => {
  for (const word of ['lightthouse', 'lighthose', 'lightheuse', 'lighthuose'])
    assert.deepEqual(spelled(word, 'The lighthouse is white.'), ['lighthous'], word)
})

test('two mistakes are accepted in a long word only', () => {
  assert.deepEqual(spelled('kuberntse', 'The Kubernetes cluster'), ['kubernet'])
  assert.deepEqual(spelled('gardne', 'A garnet'), ['gardn'])
})

test('short words, other first letters and numbers stay as they are', () => {
  for (const [query, text] of [
    ['tram', 'A tray'],
    ['warden', 'A garden'],
    ['12345', '12346'],
  ] as const)
    assert.deepEqual(withSpellings(parseQuery(query), entries(text)), parseQuery(query))
})

test('of equally near words, the one that most entries have is meant; of those the first by its letters', () => {
  assert.deepEqual(spelled('mongod', 'mongo', 'mongodb', 'MongoDB again'), ['mongodb'])
  assert.deepEqual(spelled('mongod', 'mongodb', 'mongo'), ['mongo'])
})

test('the other words of the query stay, and the word of its text is the one that was found', () => {
  const query = withSpellings(parseQuery('lighthuose keeper'), entries('The lighthouse'))
  assert.deepEqual(
    query.terms.map(({ stem }) => stem),
    ['lighthous', 'keeper'],
  )
  assert.equal(query.words[0]?.term, 'lighthous')
})

test('few words are looked up, each by its first letters', () => {
  assert.deepEqual(spellingStarts(parseQuery('lighthuose keeper at sea')), [
    { stem: 'lig', prefix: true },
    { stem: 'kee', prefix: true },
  ])
  const many = parseQuery('anchor bridge castle dragon engine forest')
  assert.equal(spellingStarts(many).length, limits.searchSpelledWordsMax)
})
