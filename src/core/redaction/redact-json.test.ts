import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createKnownValueScanner } from './known-values.ts'
import { createOperatorScanner } from './operator-rules.ts'
import { redactJson } from './redact-json.ts'
import type { Scanner } from './scanner.ts'
import { combineScanners } from './scanner.ts'
import { scanForSecretPatterns } from './secret-patterns.ts'

const password = 'Tr0ub4dor-and-3'
const scanWith = (...values: string[]): Scanner =>
  combineScanners(createKnownValueScanner(values.map((value) => ({ id: 'it', value }))), scanForSecretPatterns)

function redact(value: unknown, scan: Scanner = scanForSecretPatterns) {
  const hits: string[] = []
  return { clean: redactJson(value, { scan, onHit: (rule) => hits.push(rule) }), hits }
}

test('a member name and its value are scanned together', () => {
  for (const name of ['password', 'DB_PASSWORD', 'dbPassword', 'smtp-pass', 'pw', 'Passwort', 'user password']) {
    assert.deepEqual(redact({ [name]: password }).hits.length, 1, name)
    assert.ok(!JSON.stringify(redact({ a: [{ [name]: password }] }).clean).includes(password), name)
  }
  for (const value of ['a"b"c1!x', 'line\nTr0ub4dor', 'back\\slash99', '12345678', 'correct horse battery staple']) {
    assert.match((redact({ password: value }).clean as { password: string }).password, /^\[REDACTED:password\]/, value)
  }
  assert.deepEqual(redact({ password: 12345678 }).clean, { password: '[REDACTED:password]' })
  assert.deepEqual(redact({ password: 123456 }).clean, { password: '[REDACTED:password]' })
})

test('a member name applies to nested values and to sibling values', () => {
  const mark = '[REDACTED:password]'
  assert.deepEqual(redact({ passwords: [password] }).clean, { passwords: [mark] })
  assert.deepEqual(redact({ password: { current: password, new: `${password}!` } }).clean, {
    password: { current: mark, new: mark },
  })
  assert.deepEqual(redact([{ name: 'DB_PASSWORD', value: password }]).clean, [{ name: 'DB_PASSWORD', value: mark }])
})

test('values that are not secrets are unchanged, and numbers stay numbers', () => {
  const plain = {
    password: 'none',
    password_hint: 'the name of my first dog 1',
    max_tokens: 4096,
    tokens: 123_456_789,
    key: 'order-2024-00017',
    primaryKey: 'a1B2c3D4e5F6g7H8i9',
    at: 1_700_000_000_000,
    ratio: 0.30000000000000004,
    name: 'ada',
    nested: [{ token_count: 12, ok: true, none: null }],
  }
  assert.deepEqual(redact(plain), { clean: plain, hits: [] })
})

test('numbers are scanned in their written form', () => {
  const card = createOperatorScanner([{ id: 'card', pattern: '[45]\\d{15}' }])
  assert.deepEqual(redact({ n: 4111111111111111 }, card).clean, { n: '[REDACTED:card]' })
  assert.deepEqual(redact([4111111111111111, 7], card).clean, ['[REDACTED:card]', 7])
  assert.deepEqual(redact({ n: 481234567890 }, scanWith('481234567890')).clean, { n: '[REDACTED:it]' })
  assert.deepEqual(redact({ n: Number('12345678901234567890') }, scanWith('12345678901234567890')).clean, {
    n: '[REDACTED:it]',
  })
  // A broad rule for digits must not redact every count.
  const figures = createOperatorScanner([{ id: 'figures', pattern: '\\d{3,}' }])
  assert.deepEqual(redact({ done: 1000 }, figures).clean, { done: 1000 })
})

test('a vault secret that spans member name and value is found in every syntax', () => {
  const both = { '[REDACTED:it]': '[REDACTED:it]' }
  for (const [secret, name, value] of [
    ['zq81kx42mm07', 'zq81k', 'x42mm07'],
    ['user=zq81kx42', 'user', 'zq81kx42'],
    ['user: zq81kx42', 'user', 'zq81kx42'],
    ['"user":"zq81kx42"', 'user', 'zq81kx42'],
    ['user:zq81kx42', 'my user', 'zq81kx42 and more'],
  ] as const) {
    assert.deepEqual(redact({ [name]: value }, scanWith(secret)).clean, both, secret)
  }
  assert.deepEqual(redact({ 481234: 567890 }, scanWith('481234567890')).clean, both)
})

test('a secret that is split between name and value at any offset is redacted completely', () => {
  const value = fc.string({ unit: fc.constantFrom(...'abcxyz0189-_/+'), minLength: 10, maxLength: 24 })
  fc.assert(
    fc.property(value, fc.nat(), (secret, at) => {
      const cut = 1 + (at % (secret.length - 1))
      const { clean } = redact({ list: [{ [secret.slice(0, cut)]: secret.slice(cut) }] }, scanWith(secret))
      assert.deepEqual(clean, { list: [{ '[REDACTED:it]': '[REDACTED:it]' }] })
    }),
    { numRuns: 200 },
  )
})

test('a clean value is unchanged, and redaction is idempotent', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { clean, hits } = redact({ value }, scanWith('zq81kx42mm07'))
      if (hits.length === 0) assert.deepEqual(clean, { value })
      assert.deepEqual(redact(clean, scanWith('zq81kx42mm07')).hits, [])
    }),
    { numRuns: 300 },
  )
})

test('a long value is scanned by its beginning and replaced as a whole', () => {
  const long = 'a1B2c3D4'.repeat(1_000)
  assert.deepEqual(redact({ client_secret: long }).clean, { client_secret: '[REDACTED:secret]' })
})
