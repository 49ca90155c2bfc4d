import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sha256 } from '../audit/digest.ts'
import { filterKeysOf } from './filter-keys.ts'
import { indexedTerms, scopedTermKey, scopedTermKeys, termRules } from './indexed-terms.ts'

/** Texts of many kinds: conversations, other scripts, signs, long words. */
const texts = [
  ...readFileSync(new URL('../../../test/search/corpus/conversations.txt', import.meta.url), 'utf8').split('\n'),
  ...readFileSync(new URL('../../../test/search/corpus/facts.txt', import.meta.url), 'utf8').split('\n'),
  "Zoë's sister paid 1,234,567 kr. for 3 mice, wasn't it? 🦩👩🏽‍🚀 #️⃣",
  'Die Krankenversicherung hat der Lehrerin geschrieben: die Straßen sind gesperrt.',
  'Los perros de mi hermana duermen en la cocina porque hace frío.',
  '私は黒猫が好きです。ひらがな カタカナ 한국어 ไทย',
  `${'long'.repeat(100)} ſtraße İstanbul Ǆ ﬁn`,
  `Die Katze und der Hund: ${'schule'.repeat(11)} ${'thing'.repeat(13)}sings`,
]
const origin = { kind: 'service', service: 'crm', agentId: 'a1', sourceEventId: 'e1' } as const
const entry = { tags: ['Tea', 'täg'], subject: 'ada', origin, classification: null, createdAt: 1_767_225_600_000 }

test('the rules of the index are those of their version', () => {
  const made = [...texts.map((text) => indexedTerms(text).join(' ')), filterKeysOf(entry as never).join(' ')].join('\n')
  assert.deepEqual(
    { termRules, made: sha256(made) },
    { termRules: 3, made: '5f59aaa6de9f8c1de9b28d48e50f81ea086f170943f98c05c9cf5b95085e6bec' },
    'Terms or filter keys are made differently: raise termRules, so that stored indexes are built again, and pin the digest here.',
  )
})

test('several terms get the keys that each of them gets', () => {
  for (const text of texts) {
    const terms = indexedTerms(text)
    assert.equal(scopedTermKeys('12', terms), terms.map((term) => scopedTermKey('12', term)).join(' '))
  }
})
