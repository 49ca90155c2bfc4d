import assert from 'node:assert/strict'
import { test } from 'node:test'
import { normaliseContent } from '../../src/core/provenance/claim.ts'
import { isQuestion } from '../../src/core/search/answer-types.ts'
import { indexedTerms, lookupTerms } from '../../src/core/search/indexed-terms.ts'
import { languages } from '../../src/core/search/languages/text-language.ts'
import { parseQuery } from '../../src/core/search/query.ts'
import { queryNames } from '../../src/core/search/query-names.ts'
import { searchTexts } from '../../src/core/search/search-texts.ts'
import { snippetOf } from '../../src/core/search/snippet.ts'
import { stemOf } from '../../src/core/search/stem.ts'
import { hostileSeeds } from '../support/hostile-seeds.ts'

const fill = (seed: string, length: number) => seed.repeat(Math.ceil(length / seed.length)).slice(0, length)

/**
 * Processor time, so that a busy machine changes little. A pattern that goes over the same letters again and again takes seconds
 * for the longest query and minutes for the longest text; what is linear takes some hundredths.
 */
const cpuMsMax = 2_500

function staysLinear(name: string, work: () => void): void {
  const from = process.cpuUsage()
  work()
  const ms = process.cpuUsage(from).user / 1_000
  assert.ok(ms < cpuMsMax, `${name} took ${ms} ms`)
}

const entryOf = (content: string) => ({ id: content.slice(0, 20), content, tags: [], createdAt: 0 }) as never
/** Reads what a process reads once. */
searchTexts('wer war schon da', [entryOf('Die Krankenversicherung war da.')], 1)

for (const seed of hostileSeeds) {
  test(`the longest query and the longest text of ${JSON.stringify(seed)} take no longer for each letter than a short one`, () => {
    const [asked, stored] = [fill(seed, 4_096), fill(seed, 65_000)]
    staysLinear('a query', () => {
      const query = parseQuery(asked)
      lookupTerms(query)
      queryNames(query)
    })
    staysLinear('indexing', () => indexedTerms(stored))
    staysLinear('a text in another language', () => indexedTerms(`Die Katze und der Hund sind hier. ${stored}`))
    staysLinear('the excerpt', () => snippetOf(parseQuery(fill(seed, 100)), stored))
    staysLinear('ranking', () => searchTexts(asked, [entryOf(stored)], 10))
  })
}

test('a gap of line breaks in a query is read once, and not again for each name behind it', () => {
  staysLinear('names', () => queryNames(parseQuery('\n'.repeat(2_000) + 'Bo '.repeat(600))))
})

test('brackets after question marks are not read to the end of the text from each of them', () => {
  staysLinear('a question', () => assert.equal(isQuestion('?['.repeat(32_000)), false))
  assert.ok(isQuestion('Was that so? [he laughs]'))
})

test('signs in the middle of a content are compared without reading them again from each', () => {
  const content = `${'. '.repeat(32_000)}X. .`
  staysLinear('three contents', () => {
    for (let times = 0; times < 3; times++) assert.equal(normaliseContent(content).at(-1), 'x')
  })
})

test('an excerpt of a query with very many words compares each word of the text once', () => {
  const words = Array.from({ length: 1_300 }, (_, at) => at.toString(36).padStart(2, '0')).join(' ')
  const text = `${words} `.repeat(16)
  staysLinear('the excerpt', () => {
    for (let result = 0; result < 10; result++) snippetOf(parseQuery(words), text)
  })
})

test('a word of more than 64 letters is neither stemmed nor split, and texts and queries agree on its beginning', () => {
  const long = `${'qu'.repeat(33)}ings`
  assert.equal(stemOf(long), long)
  for (const { code, stemOf: stem, partsOf } of languages())
    for (const word of [long, fill('schule', 70), fill('haupt', 65_000)])
      assert.deepEqual([stem(word), partsOf(word)], [word, []], code)
  const asked = lookupTerms(parseQuery(long)).terms.map(({ stem }) => stem)
  assert.deepEqual(asked, [long.slice(0, 64)])
  for (const text of [long, `Die Katze und der Hund: ${long}`])
    assert.ok(indexedTerms(text).includes(long.slice(0, 64)), text)
})
