import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { blankVersion } from '../../core/entries/entry.ts'
import { passesIndexFilter } from '../../core/search/index-filter.ts'
import type { FindQuery, FoundRow } from '../../ports/search-store.ts'
import { examine, examinePlan, type SearchedScope, toPlan } from './search-steps.ts'

const words = ['tea', 'heron', 'garden', 'lighthouse']
const row = fc.record({ terms: fc.subarray(words), isTagged: fc.boolean() })
const limits = fc.record({
  postingsMax: fc.integer({ min: 1, max: 12 }),
  examinedMax: fc.integer({ min: 1, max: 12 }),
  foundMax: fc.integer({ min: 1, max: 3 }),
})

function toRow({ terms, isTagged }: { terms: string[]; isTagged: boolean }, nth: number): FoundRow {
  const key = { memoryRef: 'notes', entryId: `mem_${nth}`, version: 1, recordedPosition: 1, digestPosition: 1 }
  const stored = {
    content: terms.join(' '),
    tags: isTagged ? ['drink'] : [],
    salt: '',
    origin: { kind: 'api' as const },
  }
  return { version: { ...blankVersion, ...key, ...stored }, terms }
}

function scopeOf(rows: readonly FoundRow[], onNarrowed: () => void): SearchedScope {
  return {
    indexed: { entries: rows.length, newest: rows.length },
    waiting: [],
    postings(term, limit, narrowing) {
      if (narrowing !== null) onNarrowed()
      const all = rows.flatMap((each, at) => {
        const isIn = each.terms.includes(term.stem) && (narrowing === null || passesIndexFilter(narrowing, each))
        return isIn ? [at + 1] : []
      })
      all.reverse()
      return { rows: all.slice(0, limit), isCut: all.length > limit }
    },
  }
}

const queryOf = (asked: Pick<FindQuery, 'postingsMax' | 'examinedMax' | 'foundMax'>): FindQuery => ({
  ...{ tenantId: 'acme', memoryRef: 'notes', position: 1, now: 0, unindexedMax: 0, phrases: [], ...asked },
  access: { reader: null, trustMin: 'untrusted' },
  terms: words.map((stem) => ({ stem, prefix: false })),
  filter: { tag: 'drink' },
})

test('rows that are examined before the filter is looked up are those that it gives', () => {
  const property = fc.property(fc.array(row, { maxLength: 60 }), limits, (drafts, asked) => {
    const rows = drafts.map(toRow)
    const query = queryOf(asked)
    const scope = scopeOf(rows, () => {})
    const fetch = (nth: number) => rows[nth - 1]
    const plan = toPlan(query, scope)
    assert.deepEqual(examinePlan(query, scope, plan, fetch).rows, examine(query, scope, plan.order(), fetch))
  })
  fc.assert(property, { numRuns: 300 })
})

test('a filter that most rows pass is not looked up', () => {
  const rows = Array.from({ length: 50 }, (_, nth) => toRow({ terms: ['tea'], isTagged: nth % 3 > 0 }, nth))
  const query = queryOf({ postingsMax: 100, examinedMax: 100, foundMax: 10 })
  const scope = scopeOf(rows, () => assert.fail('the filter was looked up'))
  assert.equal(examinePlan(query, scope, toPlan(query, scope), (nth) => rows[nth - 1]).rows.length, 10)
})
