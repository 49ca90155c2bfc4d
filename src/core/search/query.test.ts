import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closenessOf, parseQuery } from './query.ts'

const stems = (text: string) => parseQuery(text).terms.flatMap(({ stem, related }) => (related ? [] : [stem]))

test('a question is looked up by what it is about', () => {
  assert.deepEqual(stems('When did Ana go to the climbing gym?'), ['ana', 'climb', 'gym'])
  assert.deepEqual(stems('dog dogs DOG'), ['dog'])
})

test('words that texts use for what was asked are looked up too, closest first', () => {
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

test('when only common words are left, they are what is asked', () => {
  assert.deepEqual(stems('to be or not'), ['to', 'be', 'or', 'not'])
  assert.deepEqual(stems('?!'), [])
})

test('a star asks for a beginning, quotes for words side by side', () => {
  assert.deepEqual(parseQuery('swimming* pool').terms.slice(0, 2), [
    { stem: 'swim', prefix: true },
    { stem: 'pool', prefix: false },
  ])
  assert.deepEqual(parseQuery('"the old harbour" walk').phrases, [['the', 'old', 'harbour']])
  assert.deepEqual(parseQuery('an unclosed " quote').phrases, [])
  const question = parseQuery('When did she read "The Old Harbour"?')
  assert.deepEqual(question.phrases, [], 'in a question it is a title, which may be told in other words')
  assert.ok(question.terms.some(({ stem }) => stem === 'harbour'))
})

test('one character of a script without spaces asks for any pair that begins so; of a run only the pairs are asked', () => {
  assert.deepEqual(parseQuery('猫').terms, [{ stem: '猫', prefix: true }])
  assert.deepEqual(parseQuery('黒猫').terms, [{ stem: '黒猫', prefix: false }])
})

test('a question shows what sort of answer it waits for', () => {
  const cues = (text: string) => [...parseQuery(text).cues]
  assert.deepEqual(cues('When did she move?'), ['time'])
  assert.deepEqual(cues('How many plants are there?'), ['number'])
  assert.deepEqual(cues('Where does he live?'), ['place'])
  assert.deepEqual(cues('Who drove?'), ['person'])
  assert.deepEqual(cues('Favourite tea'), [])
})
