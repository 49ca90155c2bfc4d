import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blankVersion, type EntryVersion } from '../entries/entry.ts'
import { limits } from '../limits.ts'
import type { Merge } from './consolidation.ts'
import { isConsolidated, toItem, writerOf } from './consolidation-item.ts'
import { findIncluded } from './find-included.ts'
import { planMerges } from './plan-merges.ts'
import { featuresOf } from './text-features.ts'

const dayMs = 24 * 60 * 60 * 1_000
type Draft = Partial<EntryVersion> & { readonly content: string }

/** Entries in the order in which they were put. */
function stored(drafts: readonly (Draft | string)[]): EntryVersion[] {
  return drafts.map((draft, at) => ({
    ...blankVersion,
    memoryRef: 'notes',
    entryId: `e${at}`,
    version: 1,
    salt: '',
    origin: { kind: 'api', keyId: 'k1' },
    recordedPosition: at + 1,
    digestPosition: at + 1,
    createdPosition: at + 1,
    ...(typeof draft === 'string' ? { content: draft } : draft),
  }))
}

function plan(entries: readonly EntryVersion[], keys: 'whole' | 'short' = 'whole', writer = writerOf): Merge[] {
  const work = planMerges(entries.map((entry) => toItem(entry, { writer: writer(entry) }, keys)))
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** The entries after a plan was carried out, as the host does: the output is a new entry with the time of the text that it keeps. */
function carryOut(entries: readonly EntryVersion[], merges: readonly Merge[]): EntryVersion[] {
  const gone = new Set(merges.flatMap(({ sources }) => sources.map(({ entryId }) => entryId)))
  const newest = Math.max(0, ...entries.map(({ createdPosition }) => createdPosition))
  const made = merges.map(({ kept, sources }, ordinal): EntryVersion => {
    const text = entries.find(({ entryId }) => entryId === kept)
    assert.ok(text !== undefined && sources.some(({ entryId }) => entryId === kept))
    const origin = { kind: 'compaction', compactionId: `c${kept}` } as const
    return { ...text, entryId: `o${kept}`, origin, createdPosition: newest + 1, ordinal }
  })
  return [...entries.filter(({ entryId }) => !gone.has(entryId)), ...made]
}

/** What is left of texts, oldest first. */
function left(drafts: readonly (Draft | string)[]): string[] {
  const entries = stored(drafts)
  return carryOut(entries, plan(entries)).map(({ content }) => content)
}

for (const [reason, older, newer] of [
  ['duplicate', 'Ada prefers tea.', 'ADA  prefers tea!'],
  ['duplicate', 'The order of Ada has the number 4711.', 'The order of Ada has the number 4711'],
  ['duplicate', 'User prefers tea', 'The user really prefers tea.'],
  ['restatement', 'Ada moves to Lisbon with her old cat', 'Ada moved to Lisbon with her old cat'],
  ['included', 'Ada prefers tea.', 'Ada prefers tea. She lives in Lisbon.'],
  ['included', 'Nate: I sold the old car.', 'Nate: I sold the old car. It was blue.'],
  ['correction', "Ada's room is 12.", "Correction: Ada's room is 14."],
  ['correction', 'The audit begins on 3 March.', 'Actually, the audit begins on 5 April.'],
  ['correction', 'Die Prüfung beginnt am 03.03.2026.', 'Korrektur: Die Prüfung beginnt am 05.03.2026.'],
] as const) {
  test(`${reason}: "${older}" and "${newer}" become the newer one`, () => {
    const merges = plan(stored([older, newer]))
    assert.deepEqual(
      merges.map((merge) => [merge.reason, merge.kept, merge.sources.length]),
      [[reason, 'e1', 2]],
    )
  })
}

for (const [why, a, b] of [
  ['a number', 'Ada pays 10 EUR a month for the office', 'Ada pays 20 EUR a month for the office'],
  ['a unit', 'the rate of the loan is at 5% this year', 'the rate of the loan is at 5 this year'],
  ['a date', 'the audit begins on 2026-01-03', 'the audit begins on 2026-01-04'],
  ['a negation', 'Ada must enter the room alone', 'Ada must not enter the room alone'],
  ['a contraction', 'Ada can enter the server room alone', "Ada can't enter the server room alone"],
  ['a name', 'Ada met Bob in the large park', 'Ada met Rob in the large park'],
  ['the order of names', 'Ada manages Bob in the team', 'Bob manages Ada in the team'],
  ['a word of the same word group', 'Ada saw a whale at the coast', 'Ada saw a shark at the coast'],
  ['a question', 'Ada likes the green tea.', 'Ada likes the green tea?'],
  ['a symbol', 'Ada writes her code in C++', 'Ada writes her code in C'],
  ['the case of an identifier', 'the code of the order is aB3x', 'the code of the order is Ab3X'],
  ['an accent', 'das ist ja schon gut', 'das ist ja schön gut'],
  ['a marker', 'the key is [REDACTED:a] for sure', 'the key is [REDACTED:A] for sure'],
  ['the speaker', 'Ada: I sold the old car.', 'Bob: I sold the old car.'],
  ['whose it is', 'my doctor is in the old town', 'your doctor is in the old town'],
  ['a correction of another name', 'Ada has room 12.', 'Correction: Bob has room 14.'],
  ['a correction to the opposite', 'Ada has the room 12.', "Correction: Ada hasn't the room 14."],
  ['the order of sentences', 'Ada left the house. Bob came home.', 'Bob came home. Ada left the house.'],
  ['too few words', 'Yes, indeed.', 'Yes. Ada sold the car.'],
] as const) {
  test(`entries that differ in ${why} stay apart`, () => {
    assert.deepEqual(left([a, b]), [a, b])
  })
}

for (const [why, more] of [
  ['subject', { subject: 'ada' }],
  ['class', { trust: 'untrusted' }],
  ['readers', { readers: ['ana'] }],
  ['expiry', { expiresAt: 9 }],
] as const) {
  test(`entries of another ${why} stay apart`, () => {
    const content = 'Ada prefers tea.'
    assert.equal(left([{ content }, { content, ...more }]).length, 2)
    assert.equal(
      left([
        { content, ...more },
        { content, ...more },
      ]).length,
      1,
    )
  })
}

test('what depends on the writer or the day is merged only for the same writer or day', () => {
  const other = { kind: 'api', keyId: 'k2' } as const
  const mine = 'I prefer tea in the morning.'
  assert.equal(left([mine, { content: mine, origin: other }]).length, 2)
  assert.equal(left(['Ada prefers tea.', { content: 'Ada prefers tea.', origin: other }]).length, 1)
  const dated = 'Ada was at the gym today.'
  assert.equal(left([dated, { content: dated, createdAt: dayMs }]).length, 2)
  assert.equal(left([dated, { content: dated, createdAt: dayMs - 1 }]).length, 1)
  assert.equal(left(["Ada's room is 12.", { content: "Correction: Ada's room is 14.", origin: other }]).length, 2)
})

test('a correction that could mean two texts corrects none; a later statement is not corrected', () => {
  const two = ["Ada's room is 12.", "Ada's room is 13.", "Correction: Ada's room is 14."]
  assert.deepEqual(left(two), two)
  const later = ["Correction: Ada's room is 14.", "Ada's room is 12."]
  assert.deepEqual(left(later), later)
  const chain = ["Ada's room is 12.", "Correction: Ada's room is 14.", "Correction: Ada's room is 15."]
  assert.deepEqual(left(chain), [chain[2]])
})

test('a text that was corrected corrects nothing itself: not in this pass, and not in the next', () => {
  const entries = stored(["Ada's room is 12.", "Correction: Ada's room is 14.", "Ada's room is 13."])
  const after = carryOut(entries, plan(entries))
  assert.deepEqual(
    after.map(({ content }) => content),
    ["Ada's room is 13.", "Correction: Ada's room is 14."],
  )
  // An output has the writer of its sources.
  const sameWriter = () => 'k1'
  assert.deepEqual(plan(after, 'whole', sameWriter), [])
})

test('what is decided, verified, expired or in quarantine is left alone', () => {
  const [plain] = stored(['Ada prefers tea.'])
  assert.ok(plain)
  const isTouched = (more: Partial<EntryVersion>) => isConsolidated({ ...plain, ...more }, 5, 'agent')
  assert.equal(isTouched({}), true)
  const claim = { category: 'fact', claimKey: 'x', importance: 5, confidence: 1, sourceEventId: null } as const
  assert.equal(isTouched({ classification: { ...claim, claimId: 'clm_1' } }), false)
  assert.equal(isTouched({ classification: { ...claim, claimId: null } }), true)
  assert.equal(isTouched({ trust: 'verified' }), false)
  assert.equal(isTouched({ trust: 'untrusted' }), false)
  assert.equal(isTouched({ expiresAt: 5 }), false)
})

test('more equal entries than one commit can end become one in several rounds', () => {
  let entries = stored(Array.from({ length: 2 * limits.consolidationSourcesMax + 1 }, () => 'Ada prefers tea.'))
  const first = plan(entries)
  assert.ok(first.every(({ sources }) => sources.length <= limits.consolidationSourcesMax))
  for (let merges = first; merges.length > 0; merges = plan(entries)) entries = carryOut(entries, merges)
  assert.equal(entries.length, 1)
})

const word = fc.constantFrom(
  ...'Ada Bob prefers preferred moves moved lives the a tea room 12 14 not March today my Lisbon whale 🎉 C++'.split(
    ' ',
  ),
)
const sentence = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '))
const text = fc
  .tuple(
    fc.constantFrom('', '', 'Correction: ', 'Ada: ', 'actually, '),
    fc.array(sentence, { minLength: 1, maxLength: 3 }),
    fc.constantFrom('.', '!', '?'),
  )
  .map(([cue, sentences, end]) => `${cue}${sentences.join('. ')}${end}`)
const entry = fc.record({
  content: text,
  subject: fc.constantFrom(null, 'ada'),
  trust: fc.constantFrom('agent', 'service'),
  readers: fc.constantFrom(null, ['ana']),
  createdAt: fc.constantFrom(0, dayMs),
  origin: fc.constantFrom({ kind: 'api', keyId: 'k1' } as const, { kind: 'service', service: 'crm' } as const),
})
/** Few texts, many entries: so that much becomes one. */
const corpus = fc
  .tuple(fc.array(entry, { minLength: 1, maxLength: 8 }), fc.array(fc.nat(7), { maxLength: 24 }))
  .map(([pool, picks]) => stored([...pool, ...picks.map((at) => pool[at % pool.length] as Draft)]))

test('a second pass over any corpus changes nothing, and short keys give the same plan', () => {
  fc.assert(
    fc.property(corpus, (entries) => {
      const merges = plan(entries)
      assert.deepEqual(plan(entries, 'short'), merges)
      const after = carryOut(entries, merges)
      assert.deepEqual(plan(after), [])
      const sources = merges.flatMap((merge) => merge.sources.map(({ entryId }) => entryId))
      assert.equal(new Set(sources).size, sources.length, 'an entry becomes part of one output')
      assert.equal(after.length, entries.length - sources.length + merges.length)
    }),
    { numRuns: 400 },
  )
})

test('the sources of a merge have one subject, class and readers', () => {
  fc.assert(
    fc.property(corpus, (entries) => {
      const byId = new Map(entries.map((item) => [item.entryId, item]))
      for (const { sources } of plan(entries)) {
        const kinds = sources.map(({ entryId }) => {
          const { subject, trust, readers } = byId.get(entryId) as EntryVersion
          return JSON.stringify([subject, trust, readers])
        })
        assert.equal(new Set(kinds).size, 1)
      }
    }),
    { numRuns: 100 },
  )
})

test('the caller can yield between any two entries that have a sentence in common', () => {
  const whole = Array.from({ length: 50 }, (_, n) => `The fox is here today. The number of it is ${n}.`)
  const items = stored([...whole, 'The fox is here today.']).map((entry) => toItem(entry, { writer: '' }))
  const work = findIncluded(items.map((item, age) => ({ item, members: [item], reason: null, age })))
  let steps = 0
  while (work.next().done !== true) steps += 1
  assert.equal(steps, 2 * items.length + whole.length)
})

test('a long text is not taken apart: only the same text of the same writer is equal to it', () => {
  const long = 'The fox is here. '.repeat(limits.consolidationTextCharactersMax / 16)
  const { sentences, words, forms } = featuresOf(long)
  assert.deepEqual([sentences, words, forms], [null, [], null])
  assert.deepEqual(
    plan(stored([long, `${long} `, 'The fox is here.'])).map(({ reason, sources }) => [reason, sources.length]),
    [['duplicate', 2]],
  )
  assert.deepEqual(plan(stored([long, { content: long, origin: { kind: 'api', keyId: 'k2' } }])), [])
})
