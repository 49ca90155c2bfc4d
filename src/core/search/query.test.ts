import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closenessOf, parseQuery } from './query.ts'

const stems = (text: string) => parseQuery(text).terms.flatMap(({ stem, related }) => (related ? [] : [stem]))

test('stop words of a question are dropped', () => {
  assert.deepEqual(stems('When did Ana go to the climbing gym?'), ['ana', 'climb', 'gym'])
  assert.deepEqual(stems('dog dogs DOG'), ['dog'])
})

test('a query is expanded with related terms, closest first', () => {
  const { terms } = parseQuery('What pets does she have?')
  const related = terms.filter(({ related }) => related)
  assert.deepEqual(terms[0], { stem: 'pet', prefix: false })
  assert.ok(related.some(({ stem }) => stem === 'hamster') && related.every(({ stem }) => stem !== 'pet'))
  const closeness = terms.map(closenessOf)
  assert.deepEqual(
    closeness,
    closeness.toSorted((a, b) => b - a),
  )
  assert.deepEqual(
    parseQuery('to be or not').terms.filter(({ related }) => related),
    [],
  )
})

test('a query of stop words only keeps them', () => {
  assert.deepEqual(stems('to be or not'), ['to', 'be', 'or', 'not'])
  assert.deepEqual(stems('?!'), [])
})

test('a star is a prefix query, and quotes are a phrase query', () => {
  assert.deepEqual(parseQuery('swimming* pool').terms.slice(0, 2), [
    { stem: 'swim', prefix: true },
    { stem: 'pool', prefix: false },
  ])
  assert.deepEqual(parseQuery('"the old harbour" walk').phrases, [['the', 'old', 'harbour']])
  assert.deepEqual(parseQuery('an unclosed " quote').phrases, [])
  const question = parseQuery('When did she read "The Old Harbour"?')
  assert.deepEqual(question.phrases, [], 'in a question it is a title, which an answer may paraphrase')
  assert.ok(question.terms.some(({ stem }) => stem === 'harbour'))
})

test('a single character of a script without spaces is a prefix query, a longer run is looked up by its bigrams', () => {
  assert.deepEqual(parseQuery('猫').terms, [{ stem: '猫', prefix: true }])
  assert.deepEqual(parseQuery('黒猫').terms, [{ stem: '黒猫', prefix: false }])
})

test('the expected answer type of a question is recognised', () => {
  const types = (text: string) => [...parseQuery(text).answerTypes]
  assert.deepEqual(types('When did she move?'), ['time'])
  assert.deepEqual(types('How many plants are there?'), ['number'])
  assert.deepEqual(types('Where does he live?'), ['place'])
  assert.deepEqual(types('Who drove?'), ['person'])
  assert.deepEqual(types('Favourite tea'), [])
})
