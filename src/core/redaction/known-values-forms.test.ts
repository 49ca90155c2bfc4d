import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { indexedTerms } from '../search/indexed-terms.ts'
import { foldDecoded, foldString } from './fold-text.ts'
import { createKnownValueScanner } from './known-values.ts'

/** Ways to write a text so that a person or a program still reads it. Written without a look at the product's own list. */
const writings: Readonly<Record<string, (text: string) => string>> = {
  NFC: (text) => text.normalize('NFC'),
  NFD: (text) => text.normalize('NFD'),
  NFKC: (text) => text.normalize('NFKC'),
  NFKD: (text) => text.normalize('NFKD'),
  'full width': (text) => text.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  'mathematical letters': (text) =>
    text.replace(/[a-z]/g, (char) => String.fromCodePoint(0x1d41a + char.charCodeAt(0) - 97)),
  'zero width spaces': (text) => [...text].join('\u200b'),
  'soft hyphens and joiners': (text) =>
    [...text].map((char, at) => char + ('\u00ad\u200d\u2060\ufeff'[at % 4] ?? '')).join(''),
  'variation selectors': (text) => [...text].join('\ufe0f'),
  'spaced out': (text) => [...text].join(' '),
  'wrapped lines': (text) => text.replace(/.{5}/gsu, '$&\r\n'),
  'HTML in decimal': (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(''),
  'HTML in hex': (text) => Array.from(text, (char) => `&#x${char.codePointAt(0)?.toString(16)};`).join(''),
  'HTML without semicolons': (text) => Array.from(text, (char) => `&#${char.codePointAt(0)}`).join(''),
  'HTML by name': (text) =>
    text.replace(/[&<>"'!$%@_./=+]/g, (char) => {
      const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', '!': 'excl' }
      const rest: Record<string, string> = { $: 'dollar', '%': 'percnt', '@': 'commat', _: 'lowbar', '.': 'period' }
      return `&${names[char] ?? rest[char] ?? { '/': 'sol', '=': 'equals', '+': 'plus' }[char]};`
    }),
  'JSON escapes': (text) =>
    Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  'percent codes': (text) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'bytes of a string in C': (text) =>
    Array.from(Buffer.from(text), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
  'capital letters': (text) => text.replace(/[a-z]/g, (char) => char.toUpperCase()),
}

const bytes: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16LE': (text) => Buffer.from(text, 'utf16le'),
  'UTF-16BE': (text) => Buffer.from(text, 'utf16le').swap16(),
}

const value = fc
  .oneof(
    fc.string({ unit: fc.constantFrom(...'abcXYZ0189-_./+=!$%&@'), minLength: 9, maxLength: 30 }),
    fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30 }),
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 12, maxLength: 16 }),
  )
  // An escape inside of a value is read as what it stands for; shorter ones are looked for as they are.
  .filter((text) => foldString(text).length >= 9 && !/[&%\\][#a-z0-9]|\[REDACTED/i.test(text))
const around = fc.string({ unit: fc.constantFrom(...'xyz .:é'), maxLength: 9 })

const scanFor = (secret: string) => {
  const scan = createKnownValueScanner([{ id: 'it', value: secret }])
  return (text: string) => {
    let hits = 0
    return { clean: scan(text, () => (hits += 1)), hits: () => hits }
  }
}

for (const [name, write] of Object.entries(writings)) {
  test(`no value survives in this writing: ${name}`, () => {
    fc.assert(
      fc.property(value, around, around, (secret, front, back) => {
        const { clean, hits } = scanFor(secret)(`${front}<${write(secret)}>${back}`)
        assert.ok(hits() >= 1, clean)
        const rest = clean.slice(front.length + 1, clean.length - back.length - 1).replace('[REDACTED:it]', '')
        // Blanks and accents at the ends of a value may stay.
        assert.equal(foldDecoded(rest)?.text ?? foldString(rest), '')
      }),
      { numRuns: 60 },
    )
  })
}

test('no value survives in base64 of any bytes, at any place, wrapped as mail is', () => {
  const wraps: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => text.replace(/.{76}/g, '$&\r\n'),
    (text) => text.replace(/.{7}/g, '$&\n  '),
    (text) => JSON.stringify(text.replace(/.{11}/g, '$&\r\n')).replaceAll('/', '\\/'),
    (text) => encodeURIComponent(text),
    (text) => text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''),
  ]
  fc.assert(
    fc.property(
      value.filter((text) => text.isWellFormed()),
      fc.constantFrom(...Object.keys(bytes)),
      fc.nat({ max: 40 }),
      fc.constantFrom(...wraps),
      (secret, encoding, before, wrap) => {
        const encode = bytes[encoding] as (text: string) => Buffer
        const text = wrap(
          Buffer.concat([Buffer.alloc(before, 'q'), encode(secret), Buffer.from('tail')]).toString('base64'),
        )
        assert.ok(scanFor(secret)(text).hits() >= 1, text)
      },
    ),
    { numRuns: 400 },
  )
})

test('two writings, one over the other, hide nothing', () => {
  const names = fc.constantFrom(...Object.keys(writings))
  fc.assert(
    fc.property(value, names, names, (secret, first, second) => {
      const inner = writings[first]?.(secret) ?? ''
      const text = writings[second]?.(inner) ?? ''
      // White space or capitals inside of an escape make it no escape any more.
      fc.pre(!/&|\\|%/.test(inner) || !/spaced|wrapped|zero|soft|variation|capital|mathematical|full/.test(second))
      assert.ok(scanFor(secret)(text).hits() >= 1, text)
    }),
    { numRuns: 400 },
  )
})

test('whatever is left of a text, the search index finds no value in it', () => {
  const names = fc.constantFrom(...Object.keys(writings))
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghz0123456789'), minLength: 12, maxLength: 20 })
  fc.assert(
    fc.property(word, names, around, (secret, name, front) => {
      const { clean } = scanFor(secret)(`${front} ${writings[name]?.(secret)} ${secret.replace(/\d{3}(?=\d)/g, '$&,')}`)
      assert.ok(!indexedTerms(clean).some((term) => term.includes(secret)))
    }),
    { numRuns: 200 },
  )
})

test('a number keeps neither zeros in front nor all of its digits, and is found', () => {
  assert.equal(scanFor('004812345678901')(String(Number('004812345678901'))).clean, '[REDACTED:it]')
  const long = '48123456789012345678901234'
  assert.equal(scanFor(long)(String(Number(long))).clean, '[REDACTED:it]')
})

test('a letter that has two capitals hides nothing', () => {
  assert.equal(scanFor('Straße-Große-9')('STRASSE-GROSSE-9').clean, '[REDACTED:it]')
})

test('texts that only resemble a value stay', () => {
  const scan = scanFor('zq81-kx42-mm07')
  for (const text of ['zq81-kx42-mm7', 'ｚｑ81-kx42', '&#122;q81-kx', 'zq81–kx42–mm07', '% & \\ &# \\u12']) {
    assert.equal(scan(text).clean, text)
  }
})

test('a text that nearly holds a long value at every place is read in linear time, and its end is found', {
  timeout: 60_000,
}, () => {
  for (const [value, filler] of [
    [`${'a'.repeat(50_000)}b`, 'a'],
    [`${'ab'.repeat(25_000)}c d`, 'aB'],
    [`${'a '.repeat(25_000)}b`, 'a '],
    [`${'é'.repeat(30_000)}b`, 'É'],
    [`${'a'.repeat(50_000)}b`, `a${' '.repeat(99)}`],
  ] as const) {
    const scan = scanFor(value)
    const text = filler.repeat(Math.ceil(200_000 / filler.length))
    assert.equal(scan(text).clean, text)
    assert.equal(scan(`${text}!${value}!${text}`).clean, `${text}![REDACTED:it]!${text}`)
  }
  // Of a value that repeats itself, everything goes.
  assert.equal(scanFor('ab'.repeat(20_000))('ab'.repeat(100_000)).clean, '[REDACTED:it]')
})

test('folding and decoding are linear in the text', { timeout: 60_000 }, () => {
  const scan = scanFor('zq81-kx42-mm07')
  for (const part of [
    '&#',
    '&amp;',
    '\\u00',
    '%61',
    '%',
    '\\',
    'é',
    'ﬁ',
    '\u200b',
    '가',
    '[REDACTED:x]',
    '&#122;q81-kx42-mm0',
  ]) {
    const text = part.repeat(Math.ceil(100_000 / part.length))
    assert.equal(scan(text).clean, text)
  }
})
