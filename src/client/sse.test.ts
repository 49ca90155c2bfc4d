import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { EventParser } from './sse.ts'

const parse = (...pieces: string[]) => {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.take(piece))
}

describe('server-sent events are read', () => {
  test('with name, data and id', () => {
    assert.deepEqual(parse('id: 4\nevent: change\ndata: {"a":1}\n\n'), [{ id: '4', event: 'change', data: '{"a":1}' }])
  })

  test('with the id of an earlier event when they have none, and as a message when they have no name', () => {
    assert.deepEqual(parse('id: 4\ndata: a\n\ndata: b\n\n'), [
      { id: '4', event: 'message', data: 'a' },
      { id: '4', event: 'message', data: 'b' },
    ])
  })

  test('with several lines of data, without comments, and without one space', () => {
    assert.deepEqual(parse(': hello\ndata:a\ndata:  b\ndata\nunknown: x\n\n'), [
      { id: '', event: 'message', data: 'a\n b\n' },
    ])
  })

  test('but an id alone only marks the place', () => {
    const parser = new EventParser()
    assert.deepEqual(parser.take('id: 7\n\n'), [])
    assert.equal(parser.lastId, '7')
  })

  test('not before they are complete, and not when an id holds a NUL', () => {
    assert.deepEqual(parse('data: a\n'), [])
    assert.deepEqual(parse('id: 1\0\ndata: a\n\n'), [{ id: '', event: 'message', data: 'a' }])
  })

  test('the same however the bytes are cut and lines end', () => {
    const field = fc.constantFrom('data: a', 'data: b:c', 'event: change', 'id: 12', ': beat', '', '', 'data')
    const end = fc.constantFrom('\n', '\r\n', '\r')
    fc.assert(
      fc.property(fc.array(field, { maxLength: 20 }), end, fc.array(fc.nat(200)), (lines, ending, cuts) => {
        // A line behind the last one: whether a return at the very end is half of an ending is known only then.
        const text = `\uFEFF${lines.map((line) => line + ending).join('')}: end`
        const places = [...new Set(cuts.map((cut) => cut % text.length))].sort((a, b) => a - b)
        const pieces = [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length))
        assert.deepEqual(parse(...pieces), parse(`${lines.map((line) => `${line}\n`).join('')}: end`))
      }),
      { numRuns: 300 },
    )
  })
})
