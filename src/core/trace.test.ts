import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { limits } from './limits.ts'
import { scanForSecretPatterns } from './redaction/secret-patterns.ts'
import { formatTraceParent, parseTraceParent, redactTrace } from './trace.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

describe('a traceparent header', () => {
  test('of version 00 is parsed and formatted unchanged', () => {
    const parts = parseTraceParent(`00-${traceId}-${spanId}-01`)
    assert.deepEqual(parts, { traceId, spanId, flags: 1 })
    assert.equal(parts && formatTraceParent(parts), `00-${traceId}-${spanId}-01`)
  })

  test('of a later version is parsed by its four fields and formatted as version 00', () => {
    for (const rest of ['', '-', '-what-comes-later']) {
      const parts = parseTraceParent(`cc-${traceId}-${spanId}-09${rest}`)
      assert.equal(parts && formatTraceParent(parts), `00-${traceId}-${spanId}-01`, rest)
    }
  })

  const malformed = {
    'the forbidden version ff': `ff-${traceId}-${spanId}-01`,
    'a fifth field in version 00': `00-${traceId}-${spanId}-01-more`,
    'characters after the flags': `cc-${traceId}-${spanId}-01more`,
    'capital letters': `00-${traceId.toUpperCase()}-${spanId}-01`,
    'a trace of zeros': `00-${'0'.repeat(32)}-${spanId}-01`,
    'a span of zeros': `00-${traceId}-${'0'.repeat(16)}-01`,
    'too few digits': `00-${traceId.slice(1)}-${spanId}-01`,
    'two values': `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    'white space': ` 00-${traceId}-${spanId}-01`,
    'a line break': `00-${traceId}-${spanId}-01\n`,
    'too many characters': `cc-${traceId}-${spanId}-01-${'a'.repeat(limits.traceParentCharactersMax)}`,
    'no characters': '',
    'a number as its value': 7,
    'no value': undefined,
  }
  for (const [what, header] of Object.entries(malformed)) {
    test(`with ${what} is ignored`, () => assert.equal(parseTraceParent(header), null))
  }
})

describe('a stored trace link', () => {
  const parent = `00-${traceId}-${spanId}-01`
  test('is complete when it contains no secret', () => {
    const link = { parent, state: 'vendor=opaque,other@team=1:2' }
    assert.deepEqual(redactTrace(link, scanForSecretPatterns), link)
    assert.equal(redactTrace(null, scanForSecretPatterns), null)
  })
  test('lacks the header that contains a secret', () => {
    const scan = (text: string, onHit: (rule: string) => void) => {
      if (text.includes('swordfish')) onHit('test-rule')
      return text
    }
    assert.deepEqual(redactTrace({ parent, state: 'a=swordfish' }, scan), { parent, state: null })
    assert.equal(redactTrace({ parent: 'swordfish', state: 'a=1' }, scan), null)
  })
})
