import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ConsolidationItem } from './consolidation.ts'
import { type ProposedPair, proposePairs } from './propose-pairs.ts'

const words = fc.array(fc.constantFrom('ada', 'bob', 'tea', 'milk', 'drinks', 'porto'), { maxLength: 6 })
const drafts = fc.array(fc.record({ words, group: fc.constantFrom('g', 'h'), hasSubject: fc.boolean() }), {
  maxLength: 12,
})

/** Many texts with common words, so that there are far more pairs than may be proposed. */
const alike = fc.array(fc.subarray(['ada', 'bob', 'tea', 'milk'], { minLength: 2 }), { minLength: 10, maxLength: 14 })

function itemsOf(given: readonly Pick<ConsolidationItem, 'words' | 'group' | 'hasSubject'>[]): ConsolidationItem[] {
  const rest = { version: 1, forms: null, sentences: null, template: null, isCorrection: false }
  return given.map((draft, at) => ({
    ...rest,
    ...draft,
    // The subject is part of the group.
    group: `${draft.group}${draft.hasSubject}`,
    entryId: `e${at}`,
    place: { createdPosition: at, ordinal: 0 },
    exact: Array.from(draft.words).join(' '),
  }))
}

function propose(items: readonly ConsolidationItem[], max: number): ProposedPair[] {
  const work = proposePairs(items, max)
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}

/** Every pair, compared one by one. */
function expected(items: readonly ConsolidationItem[]): string[] {
  const found: string[] = []
  for (const [at, newer] of items.entries())
    for (const older of items.slice(0, at)) {
      const [a, b] = [new Set(Array.from(older.words)), new Set(Array.from(newer.words))]
      const both = [...a].filter((word) => b.has(word)).length
      const share = both / new Set([...a, ...b]).size
      const isAlike = older.group === newer.group && older.exact !== newer.exact
      if (isAlike && share >= (newer.hasSubject ? 0.3 : 0.5)) found.push(`${older.entryId} ${newer.entryId}`)
    }
  return found.toSorted()
}

const named = ({ older, newer }: ProposedPair) => `${older.entryId} ${newer.entryId}`

test('all pairs of one group with enough common words are proposed, in any order of the entries', () => {
  fc.assert(
    fc.property(drafts, (given) => {
      const items = itemsOf(given)
      assert.deepEqual(propose(items, 100).map(named).toSorted(), expected(items))
      assert.deepEqual(propose(items.toReversed(), 100), propose(items, 100))
    }),
    { numRuns: 100 },
  )
})

test('no more than the limit are proposed: the first of all', () => {
  fc.assert(
    fc.property(alike, fc.integer({ min: 1, max: 3 }), (given, max) => {
      const items = itemsOf(given.map((own) => ({ words: own, group: 'g', hasSubject: true })))
      assert.deepEqual(propose(items, max), propose(items, 100).slice(0, max))
    }),
    { numRuns: 100 },
  )
})

test('a long text that is compared with many takes several short steps', () => {
  const long = Array.from({ length: 1_000 }, (_, at) => `w${at}`)
  const items = itemsOf(Array.from({ length: 20 }, () => ({ words: long, group: 'g', hasSubject: false })))
  const work = proposePairs(items, 10)
  let steps = 0
  while (!work.next().done) steps += 1
  // The last one is compared with 19 texts: in four steps and not in one.
  assert.ok(steps >= items.length + 19 / 5, `${steps} steps`)
})
