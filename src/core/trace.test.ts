import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from './limits.ts'
import { scanForSecretPatterns } from './redaction/secret-patterns.ts'
import { cleanTrace, formatTraceParent, parseTraceParent } from './trace.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('traceparent', () => {
  test('of the version in use is taken as it is', () => {
    const parts = parseTraceParent(`00-${traceId}-${spanId}-01`)
    assert.deepEqual(parts, { traceId, spanId, flags: 1 })
    assert.equal(parts && formatTraceParent(parts), `00-${traceId}-${spanId}-01`)
  })

  test('of a later version is read by the four fields, and goes out as the version in use', () => {
    for (const rest of ['', '-', '-what-comes-later']) {
      const parts = parseTraceParent(`cc-${traceId}-${spanId}-09${rest}`)
      assert.equal(parts && formatTraceParent(parts), `00-${traceId}-${spanId}-01`, rest)
    }
  })

  const malformed = {
    'a version that is never used': `ff-${traceId}-${spanId}-01`,
    'more than its version has': `00-${traceId}-${spanId}-01-more`,
    'more than its version has, unmarked': `cc-${traceId}-${spanId}-01more`,
    'capital letters': `00-${traceId.toUpperCase()}-${spanId}-01`,
    'a trace of zeros': `00-${'0'.repeat(32)}-${spanId}-01`,
    'a span of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
    'too few digits': `00-${traceId.slice(1)}-${spanId}-01`,
    'two of them': `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    'white space': ` 00-${traceId}-${spanId}-01`,
    'a line break': `00-${traceId}-${spanId}-01\n`,
    'too much': `cc-${traceId}-${spanId}-01-${'a'.repeat(limits.traceParentCharactersMax)}`,
    nothing: '',
    'no text': 7,
    'no header': undefined,
  }
  for (const [what, header] of Object.entries(malformed)) {
    test(`with ${what} is ignored`, () => assert.equal(parseTraceParent(header), null))
  }
})

describe('what is stored of a trace', () => {
  const parent = `00-${traceId}-${spanId}-01`
  test('is all of it when it holds no secret', () => {
    const link = { parent, state: 'vendor=opaque,other@team=1:2' }
    assert.deepEqual(cleanTrace(link, scanForSecretPatterns), link)
    assert.equal(cleanTrace(null, scanForSecretPatterns), null)
  })
  test('is not the part with a secret in it', () => {
    const scan = (text: string, onHit: (rule: string) => void) => {
      if (text.includes('swordfish')) onHit('door')
      return text
    }
    assert.deepEqual(cleanTrace({ parent, state: 'a=swordfish' }, scan), { parent, state: null })
    assert.equal(cleanTrace({ parent: 'swordfish', state: 'a=1' }, scan), null)
  })
})
