import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aliasesIn, aliasText, mayHaveAliases, withAliases } from './aliases.ts'
import { parseQuery } from './query.ts'

test('texts say which names mean the same', () => {
  for (const [text, groups] of [
    ['Robert, called Bob, moved to Oslo.', [['Robert', 'Bob']]],
    ['Met Bob (Robert Smith) at the station.', [['Bob', 'Robert Smith']]],
    ['Robert "Bob" Smith signed it.', [['Robert Smith', 'Bob']]],
    ['Katharina, genannt Kathi, wohnt in Wien.', [['Katharina', 'Kathi']]],
    ['Francisco, conocido como Paco, vive en Lima.', [['Francisco', 'Paco']]],
    ['They flew to Paris (France) and Berlin (Germany).', []],
    ['She called Bob on Monday.', []],
    ['A shop called Wonder opened.', []],
    [aliasText('user_123', ['Bob', 'Robert Smith']), [['user_123', 'Bob', 'Robert Smith']]],
  ] as const) {
    assert.deepEqual(aliasesIn(text), groups, text)
    assert.ok(groups.length === 0 || mayHaveAliases(text), text)
  }
})

test('a query also looks up the other names of those that it has', () => {
  const texts = ['Robert, called Bob, moved to Oslo.', aliasText('user_123', ['Mel', 'Melanie Jones'])]
  const added = (query: string) => {
    const parsed = parseQuery(query)
    const before = new Set(parsed.terms.map(({ stem }) => stem))
    return withAliases(parsed, texts)
      .terms.filter(({ stem, related }) => !before.has(stem) || related?.some(({ kind }) => kind === 'form'))
      .map(({ stem }) => stem)
  }
  assert.deepEqual(added('Where does Bob live?'), ['robert'])
  assert.deepEqual(added('What does Melanie eat?'), ['user', '123', 'mel'])
  assert.deepEqual(added('What does user_123 eat?'), ['mel', 'melani', 'jone'])
  const other = parseQuery('Where does Carla live?')
  assert.equal(withAliases(other, texts), other)
})
