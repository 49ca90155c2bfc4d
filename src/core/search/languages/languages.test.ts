import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MemoryEntry } from '../../entries/entry.ts'
import { parseQuery } from '../query.ts'
import { searchTexts } from '../search-texts.ts'
import { readLanguage } from './language.ts'
import { languageData } from './languages.ts'
import { languageOf, languages, textTerms } from './text-language.ts'

const codeOf = (text: string) => languageOf(text, textTerms(text))?.code ?? null
const byCode = (code: string) =>
  languages().find((language) => language.code === code) as ReturnType<typeof readLanguage>
const found = (query: string, ...texts: string[]) =>
  searchTexts(
    query,
    texts.map(
      (content, at): MemoryEntry => ({ id: `m${at}`, content, tags: [], createdAt: '2026-01-01T00:00:00.000Z' }),
    ),
    10,
  ).hits.map(({ entry }) => entry.content)

test('the language of a text is the one that most of its small words belong to', () => {
  for (const [text, code] of [
    ['Where did the family spend the summer?', 'en'],
    ['Die Häuser am See gehören meiner Schwester.', 'de'],
    ['Wo wohnt der Bruder von Anna?', 'de'],
    ['Los perros de mi hermana duermen en la cocina porque hace frío.', 'es'],
    ['Lisbon', null],
    ['She met Ludwig Mies van der Rohe and the others in Los Angeles.', 'en'],
  ] as const)
    assert.equal(codeOf(text), code, text)
})

test('forms of a German word have one stem, also with other spellings', () => {
  const { stemOf } = byCode('de')
  for (const forms of [
    'haus hauser hausern hauses haeuser',
    'lehrer lehrerin lehrerinnen lehrern',
    'wohnen wohnt wohnte gewohnt',
    'gehen ging gegangen geht',
    'straße strasse strassen',
    'katze katzen',
  ]) {
    const stems = new Set(forms.split(' ').map(stemOf))
    assert.equal(stems.size, 1, `${forms}: ${[...stems].join(' ')}`)
  }
  assert.notEqual(stemOf('katze'), stemOf('kater'))
})

test('compound words have parts, with the letters that join them; other words have none', () => {
  const german = byCode('de')
  const stems = (words: string) => words.split(' ').map(german.stemOf)
  assert.deepEqual(german.partsOf('krankenversicherung'), stems('kranken versicherung'))
  assert.deepEqual(german.partsOf('arbeitszimmer'), stems('arbeit zimmer'))
  assert.deepEqual(german.partsOf('hausschlussel'), stems('haus schlussel'))
  assert.deepEqual(german.partsOf('schlussel'), [])
  const english = byCode('en')
  assert.deepEqual(english.partsOf('toothbrush'), ['tooth', 'brush'])
  for (const word of ['season', 'important', 'father', 'together', 'window', 'husband', 'mountain'])
    assert.deepEqual(english.partsOf(word), [], word)
})

test('a search finds other forms and compounds of its words, and drops the stop words of its language', () => {
  const texts = [
    'Die Häuser am See gehören meiner Schwester.',
    'Die Krankenversicherung hat den Antrag abgelehnt.',
    'Anna wohnte früher mit ihrem Bruder in der Altstadt.',
    'Der Hund schläft auf dem Sofa.',
  ]
  assert.deepEqual(found('Welche Versicherung?', ...texts), [texts[1]])
  assert.deepEqual(found('Haus', ...texts), [texts[0]])
  assert.deepEqual(found('Haeusern', ...texts), [texts[0]])
  assert.equal(found('Wo wohnt Anna?', ...texts)[0], texts[2])
  assert.deepEqual(
    parseQuery('Wo ist der Hund von meiner Schwester?')
      .terms.filter(({ related }) => related === undefined)
      .map(({ stem }) => stem),
    ['hund', 'schwester'],
  )
  assert.deepEqual(found('tooth brush', 'The toothbrush is blue.', 'A red car.'), ['The toothbrush is blue.'])
  assert.deepEqual(found('toothbrush', 'A brush for every tooth.', 'A red car.'), ['A brush for every tooth.'])
  assert.deepEqual(found('los perros', 'Mi perro duerme en la cocina.', 'El gato no.'), [
    'Mi perro duerme en la cocina.',
  ])
})

test('a short form of a name is used only if no text has the name itself', () => {
  assert.deepEqual(
    found('Where does Bob live?', 'Robert lives in Rome.', 'Carla lives in Oslo.')[0],
    'Robert lives in Rome.',
  )
  assert.deepEqual(found('bob', 'Robert lives in Rome.'), [], 'a word in lower case is no name')
  const texts = ['Robert lives in Rome.', 'Bob is away.']
  assert.deepEqual(found('Bob', ...texts), ['Bob is away.'])
})

test('a language is data only: the file of another one is read by the same code', () => {
  const french = readLanguage({
    code: 'fr',
    stopWords: 'le la les un une des du de et est sont dans pour avec qui que ou ne pas sur mon ma mes',
    ambiguous: 'la pour des',
    endings: ['s x', 'e es ent'],
    compounds: { parts: 'porte monnaie clef', links: '' },
  })
  assert.deepEqual(['maison', 'maisons', 'grande', 'grands'].map(french.stemOf), ['maison', 'maison', 'grand', 'grand'])
  assert.ok(french.isStopWord('avec'))
  assert.deepEqual([french.markers.get('avec'), french.markers.get('la')], [2, 1])
  assert.deepEqual(french.partsOf('portemonnaie'), ['port', 'monnai'])
  // Spanish is in no file but its own and the list.
  assert.ok(languageData.some(({ code }) => code === 'es'))
  const { stemOf } = byCode('es')
  for (const forms of ['perro perros perra', 'hablar habla hablando hablado', 'dormir duermen duerme'])
    assert.equal(new Set(forms.split(' ').map(stemOf)).size, 1, forms)
})
