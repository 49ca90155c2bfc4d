import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPlainEntry } from './plain-file.ts'

const mapping = { content: 'message.text', tags: 'labels', subject: 'user.id', at: 'when' }

test('the paths map a JSON line to an entry', () => {
  const line = JSON.stringify({
    message: { text: 'Hi.' },
    labels: ['a'],
    user: { id: 7 },
    when: '2024-05-01T10:00:00+02:00',
  })
  assert.deepEqual(toPlainEntry(line, 1, mapping, ['old']), {
    content: 'Hi.',
    tags: ['old', 'a', 'at:2024-05-01T08:00:00.000Z'],
    subject: '7',
  })
})

test('missing values are omitted; only the text is required', () => {
  assert.deepEqual(toPlainEntry('{"message":{"text":"Hi."},"user":{"id":null}}', 1, mapping, []), {
    content: 'Hi.',
    tags: [],
  })
  for (const line of ['{', '[]', '{"message":{"text":5}}', '{"message":"text"}', 'null']) {
    assert.throws(() => toPlainEntry(line, 3, mapping, []), /^CliError: line 3: /)
  }
})

test('an instant may be a number; other values are refused', () => {
  const at = (when: unknown) => toPlainEntry(JSON.stringify({ t: 'x', when }), 1, { content: 't', at: 'when' }, []).tags
  assert.deepEqual(at(1_700_000_000), ['at:2023-11-14T22:13:20.000Z'])
  assert.deepEqual(at(1_700_000_000_000), ['at:2023-11-14T22:13:20.000Z'])
  for (const when of ['yesterday', true, {}, '2024-02-31T00:00:00Z']) assert.throws(() => at(when), /no instant/)
})

test('a path does not reach inherited members', () => {
  assert.throws(() => toPlainEntry('{}', 1, { content: 'constructor.name' }, []), /no text/)
})
