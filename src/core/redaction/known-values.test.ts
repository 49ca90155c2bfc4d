import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isThorough } from '../../../test/support/thorough.ts'
import { limits } from '../limits.ts'
import { encodedForms, spellings, textForms } from './encoded-forms.ts'
import { type FoldedText, foldDecoded, foldText } from './fold-text.ts'
import { createKnownValueScanner, type KnownValue } from './known-values.ts'
import { combineScanners } from './scanner.ts'
import { scanForSecretPatterns } from './secret-patterns.ts'

const scanWith = (...values: KnownValue[]) => {
  const scan = createKnownValueScanner(values)
  return (text: string) => {
    const hits: string[] = []
    return { clean: scan(text, (id) => hits.push(id)), hits }
  }
}
const named = (values: readonly string[]) => values.map((value, at) => ({ id: `v${at}`, value }))

/** Few different characters, so that values overlap, share prefixes and nearly match often. */
const dense = fc.string({ unit: fc.constantFrom(...'ab'), minLength: 8, maxLength: 14 })
const rich = fc.string({ unit: 'binary', minLength: 8, maxLength: 24 }).filter((text) => text.length >= 8)
const printable = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 40 }).filter((text) => text.length >= 8)
const around = fc.string({ unit: 'grapheme', maxLength: 12 })

test('each value is replaced by the marker of its id', () => {
  const scan = scanWith({ id: 'db', value: 'correct horse' }, { id: 'mail', value: 'p@ss/word+1' })
  assert.deepEqual(scan('a correct horse and p@ss/word+1.'), {
    clean: 'a [REDACTED:db] and [REDACTED:mail].',
    hits: ['db', 'mail'],
  })
  assert.deepEqual(scan('a correct hors'), { clean: 'a correct hors', hits: [] })
})

test('a secret of the maximum length is found, with any characters', () => {
  const value = '\u8a9e'.repeat(limits.secretCharactersMax)
  const scan = scanWith({ id: 'long', value })
  assert.equal(scan(`a ${value} b`).clean, 'a [REDACTED:long] b')
  assert.equal(scan(Buffer.from(value).toString('base64')).clean, '[REDACTED:long]')
})

test('values shorter than eight characters are not looked for', () => {
  assert.deepEqual(scanWith({ id: 'x', value: 'letmein' })('letmein letmein'), { clean: 'letmein letmein', hits: [] })
})

test('the longest value at an offset wins, also over one inside it', () => {
  const scan = scanWith(
    { id: 'short', value: 'abcdefgh' },
    { id: 'long', value: 'abcdefghij' },
    { id: 'outer', value: '--abcdefghij--' },
  )
  assert.equal(scan('abcdefghij').clean, '[REDACTED:long]')
  assert.equal(scan('abcdefghi').clean, '[REDACTED:short]i')
  assert.deepEqual(scan('--abcdefghij--'), { clean: '[REDACTED:outer]', hits: ['outer'] })
})

test('adjacent values are both replaced, and no part of overlapping values remains', () => {
  const scan = scanWith({ id: 'a', value: 'aaaabbbb' }, { id: 'b', value: 'bbbbcccc' })
  assert.deepEqual(scan('aaaabbbbaaaabbbb').hits, ['a', 'a'])
  assert.equal(scan('aaaabbbbbbbbcccc').clean, '[REDACTED:a][REDACTED:b]')
  assert.equal(scan('aaaabbbbcccc').clean, '[REDACTED:a][REDACTED:b]')
})

test('genuine markers are never changed, even when a secret resembles one', () => {
  const values = named(['REDACTED', '[REDACTED:', 'REDACTED:v0', '[REDACTED:v0]', ']REDACTED', 'EDACTED:db]'])
  const scan = scanWith(...values)
  for (const text of ['[REDACTED:v0]', 'x[REDACTED:v1]REDACTE', '[REDACTED:tag][REDACTED:password]']) {
    assert.deepEqual(scan(text), { clean: text, hits: [] })
  }
  assert.equal(scan('so REDACTED it is').clean, 'so [REDACTED:v0] it is')
})

test('a marker with an unknown id does not protect the secret inside it', () => {
  const scan = scanWith({ id: 'x', value: 'zq81]kx42mm07' })
  assert.equal(scan('a [REDACTED:zq81]kx42mm07 b').clean, 'a [REDACTED:x] b')
  const plain = scanWith({ id: 'x', value: 'zq81kx42mm07' })
  assert.equal(plain('a [REDACTED:my-zq81kx42mm07] b').clean, 'a [REDACTED:x] b')
  assert.equal(plain('a [REDACTED:gone] b').clean, 'a [REDACTED:gone] b')
})

test('every encoded form is replaced', () => {
  const value = `Zoë's "pass/word" <&> 50% +`
  const scan = scanWith({ id: 'x', value })
  const utf8 = Buffer.from(value)
  const ascii = JSON.stringify(value).replace(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const forms: Readonly<Record<string, string>> = {
    plain: value,
    json: JSON.stringify(value).slice(1, -1),
    'json of python': ascii.slice(1, -1),
    'json of php': ascii.slice(1, -1).replaceAll('/', '\\/'),
    'json in json': JSON.stringify(JSON.stringify(value)).slice(3, -3),
    url: encodeURIComponent(value),
    'url in small hex': encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    form: new URLSearchParams({ v: value }).toString().slice(2),
    hex: utf8.toString('hex'),
    'capital hex': utf8.toString('hex').toUpperCase(),
    html: value
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      .replaceAll("'", '&#39;'),
    base64: utf8.toString('base64'),
    base64url: utf8.toString('base64url'),
  }
  for (const [name, form] of Object.entries(forms)) {
    assert.deepEqual(scan(`<${form}>`), { clean: '<[REDACTED:x]>', hits: ['x'] }, name)
  }
})

test('a secret is found in every encoded form, at any alignment and offset', () => {
  fc.assert(
    fc.property(printable, around, around, (value, front, back) => {
      fc.pre(!value.includes('[REDACTED:'))
      const { clean } = scanWith({ id: 'x', value })(front + value + back)
      assert.ok(!clean.includes(value) || '[REDACTED:x]'.includes(value))
      const whole = Buffer.from(front + value + back)
      const [from, length] = [Buffer.byteLength(front), Buffer.byteLength(value)]
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = whole.toString(alphabet)
        // The characters that encode only bits of the value.
        const inner = text.slice(Math.ceil((from * 8) / 6), Math.floor(((from + length) * 8) / 6))
        assert.ok(!scanWith({ id: 'x', value })(text).clean.includes(inner), `${alphabet} ${text}`)
      }
      assert.ok(!scanWith({ id: 'x', value })(whole.toString('hex')).clean.includes(Buffer.from(value).toString('hex')))
    }),
    { numRuns: isThorough ? 1_000 : 250 },
  )
})

type Spans = { start: number; end: number; id: string }[]

/** The longest form at every offset. */
function spansIn({ text, from, to }: FoldedText, forms: readonly { id: string; form: string }[]): Spans {
  return Array.from({ length: text.length }, (_, start) => {
    const found = forms
      .filter(({ form }) => form.length >= 8 && text.startsWith(form, start))
      .toSorted((a, b) => b.form.length - a.form.length)[0]
    if (found === undefined) return []
    const end = start + found.form.length
    return [{ start: from?.[start] ?? start, end: to?.[end - 1] ?? end, id: found.id }]
  }).flat()
}

/** The reference implementation: simple and slow. */
function naive(values: readonly KnownValue[], text: string): string {
  const long = values.filter(({ value }) => value.length >= 8)
  const folded = long.flatMap(({ id, value }) => {
    const decoded = foldDecoded(value)?.text
    const forms = [...encodedForms(value)].map((form) => foldText(form).text)
    return [...forms, ...(decoded === undefined ? [] : [decoded])].map((form) => ({ id, form }))
  })
  const exact = long
    .filter(({ value }) => foldText(value).text.length < value.length)
    .flatMap(({ id, value }) => [...spellings(value)].flatMap(textForms).map((form) => ({ id, form })))
  const decoded = foldDecoded(text)
  const found = [
    ...spansIn({ text }, exact),
    ...spansIn(foldText(text), folded),
    ...(decoded ? spansIn(decoded, folded) : []),
  ].sort((a, b) => a.start - b.start || b.end - a.end)
  const spans: Spans = []
  for (const { start, end, id } of found) {
    const last = spans.at(-1)
    if (last === undefined || start >= last.end) spans.push({ start, end, id })
    else if (end > last.end && id === last.id) last.end = end
    else if (end > last.end) spans.push({ start: last.end, end, id })
  }
  let clean = ''
  let done = 0
  for (const { start, end, id } of spans) {
    clean += `${text.slice(done, start)}[REDACTED:${id}]`
    done = end
  }
  return clean + text.slice(done)
}

test('it agrees with the reference implementation on dense texts', () => {
  fc.assert(
    fc.property(
      fc.array(dense, { maxLength: 4 }),
      fc.string({ unit: fc.constantFrom(...'ab'), maxLength: 60 }),
      (values, text) => {
        assert.equal(scanWith(...named(values))(text).clean, naive(named(values), text))
      },
    ),
    { numRuns: isThorough ? 2_000 : 500 },
  )
})

test('it agrees with the reference implementation on any characters, unpaired surrogates included', () => {
  const parts = fc.array(fc.oneof(rich, fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(rich, { maxLength: 3 }), parts, (values, texts) => {
      const text = [...texts, ...values].join('\ud83d')
      assert.equal(scanWith(...named(values))(text).clean, naive(named(values), text))
    }),
  )
})

test('a text without secrets is returned unchanged', () => {
  fc.assert(
    fc.property(fc.array(rich, { maxLength: 3 }), fc.string({ unit: 'grapheme', maxLength: 200 }), (values, text) => {
      fc.pre(values.every((value) => [...encodedForms(value)].every((form) => !text.includes(form))))
      assert.deepEqual(scanWith(...named(values))(text), { clean: text, hits: [] })
    }),
  )
})

test('scanning is idempotent', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(dense, fc.constantFrom('REDACTED', 'DACTED:v0', ']aaaaaaaa')), { maxLength: 4 }),
      fc.array(dense, { maxLength: 4 }),
      (values, texts) => {
        const scan = scanWith(...named(values))
        const { clean } = scan([...texts, ...values].join(''))
        assert.deepEqual(scan(clean), { clean, hits: [] })
      },
    ),
  )
})

test('thousands of secrets with a common prefix, and texts that nearly contain them, are scanned in linear time', {
  timeout: 60_000,
}, () => {
  const values = Array.from({ length: isThorough ? 3_000 : 1_000 }, (_, at) => ({
    id: `v${at}`,
    value: `${'a'.repeat(200)}${at}-end`,
  }))
  const scan = scanWith(...values)
  assert.deepEqual(scan('a'.repeat(isThorough ? 1_000_000 : 200_000)).hits, [])
  assert.deepEqual(scan(`${'a'.repeat(10_000)}77-end`).hits, ['v77'])
})

test('known values take precedence over patterns and name the marker', () => {
  const key = ['sk', '-', 'A1b2'.repeat(8)].join('')
  const hits: string[] = []
  const scan = combineScanners(createKnownValueScanner([{ id: 'openai', value: key }]), scanForSecretPatterns)
  assert.equal(
    scan(`${key} ${key}x password=Tr0ub4dor`, (id) => hits.push(id)),
    '[REDACTED:openai] [REDACTED:openai]x password=[REDACTED:password]',
  )
  assert.deepEqual(hits, ['openai', 'openai', 'password'])
})
