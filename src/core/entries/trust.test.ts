import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lowestTrust, trustAfterReading, trustClasses, trustRank } from './trust.ts'

const trust = fc.constantFrom(...trustClasses)

// Model rule: trust.derived-takes-lowest
test('what is derived has the lowest class of its sources, and what was read never raises the class of a writer', () => {
  fc.assert(
    fc.property(fc.array(trust, { minLength: 1, maxLength: 6 }), trust, (sources, own) => {
      const [first = own, ...others] = sources
      assert.equal(trustRank(lowestTrust(first, ...others)), Math.min(...sources.map(trustRank)))
      const after = trustAfterReading(own, sources)
      assert.ok(trustRank(after) <= trustRank(own))
      if (sources.includes('untrusted')) assert.equal(after, 'untrusted')
    }),
  )
})
