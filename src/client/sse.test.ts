import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SseParser } from './sse.ts'

const parse = (...pieces: string[]) => {
  const parser = new SseParser()
  return pieces.flatMap((piece) => parser.parse(piece))
}

describe('the parser of server-sent events', () => {
  test('reads name, data and id', () => {
    assert.deepEqual(parse('id: 4\nevent: change\ndata: {"a":1}\n\n'), [{ id: '4', event: 'change', data: '{"a":1}' }])
  })

  test('uses the last id for an event without one, and the name message for an event without one', () => {
    assert.deepEqual(parse('id: 4\ndata: a\n\ndata: b\n\n'), [
      { id: '4', event: 'message', data: 'a' },
      { id: '4', event: 'message', data: 'b' },
    ])
  })

  test('joins data lines, and skips comments and one leading space', () => {
    assert.deepEqual(parse(': hello\ndata:a\ndata:  b\ndata\nunknown: x\n\n'), [
      { id: '', event: 'message', data: 'a\n b\n' },
    ])
  })

  test('makes no event of an id without data, and keeps the id', () => {
    const parser = new SseParser()
    assert.deepEqual(parser.parse('id: 7\n\n'), [])
    assert.equal(parser.lastId, '7')
  })

  test('waits for the end of an event, and ignores an id with NUL', () => {
    assert.deepEqual(parse('data: a\n'), [])
    assert.deepEqual(parse('id: 1\0\ndata: a\n\n'), [{ id: '', event: 'message', data: 'a' }])
  })

  test('gives the same events for any chunk sizes and line endings', () => {
    const field = fc.constantFrom('data: a', 'data: b:c', 'event: change', 'id: 12', ': beat', '', '', 'data')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(field, { maxLength: 20 }), end, fc.array(fc.nat(200)), (lines, ending, cuts) => {
        // One more line: only then is it known whether a CR at the end is the first half of CRLF.
        const text = `\uFEFF${lines.map((line) => line + ending).join('')}: end`
        const places = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
        assert.deepEqual(parse(...pieces), parse(`${lines.map((line) => `${line}\n`).join('')}: end`))
      }),
      { numRuns: 300 },
    )
  })
})
