import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isThorough } from '../../../test/support/thorough.ts'
import { indexedTerms } from '../search/indexed-terms.ts'
import { foldDecoded, foldString } from './fold-text.ts'
import { createKnownValueScanner } from './known-values.ts'

/** Encodings of a text that a person or a program can still decode. Independent of the list in the product. */
const encodings: Readonly<Record<string, (text: string) => string>> = {
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
  'percent encoding': (text) =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  'C hex escapes': (text) =>
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
  // An escape inside a value is decoded, and the decoded value may be too short; such values are searched unfolded.
  .filter((text) => foldString(text).length >= 9 && !/[&%\\][#a-z0-9]|\[REDACTED/i.test(text))
const around = fc.string({ unit: fc.constantFrom(...'xyz .:é'), maxLength: 9 })

const scanFor = (secret: string) => {
  const scan = createKnownValueScanner([{ id: 'it', value: secret }])
  return (text: string) => {
    let hits = 0
    return { clean: scan(text, () => (hits += 1)), hits: () => hits }
  }
}

test('a value is found in any spelling of case: as text, in bytes if it is written in one case, and if it is mostly punctuation', () => {
  const mixed: (text: string) => string = (text) =>
    text.replace(/[a-z]/gi, (char, at: number) => (at % 2 ? char.toLowerCase() : char.toUpperCase()))
  const lower = (text: string) => text.toLowerCase()
  const upper = (text: string) => text.toUpperCase()
  for (const secret of [
    'kqzwbxytr',
    'KQZWBXYTR',
    'kQzWbXyTr',
    'quiet-meadow-seventeen',
    'Straße-Übergang',
    `ab,c "d" 'e', f`,
  ]) {
    for (const spell of [lower, upper, mixed]) {
      for (const write of [(text: string) => text, encodeURIComponent, JSON.stringify]) {
        if (spell === mixed && !/^[\w-]*$/.test(secret)) continue
        const { clean, hits } = scanFor(secret)(`<${write(spell(secret))}>`)
        assert.ok(hits() > 0, `${secret}: ${clean}`)
      }
    }
  }
  for (const secret of ['4f7d1a2b9c8e6d50', '4F7D1A2B9C8E6D50', 'quiet-meadow-seventeen']) {
    for (const encode of ['hex', 'base64'] as const) {
      for (const spell of [lower, upper]) {
        const text = `<${Buffer.from(spell(secret)).toString(encode)}>`
        assert.ok(!scanFor(secret)(text).clean.includes(text.slice(4, -4)), text)
      }
    }
  }
})

for (const [name, write] of Object.entries(encodings)) {
  test(`a secret is found in this encoding: ${name}`, () => {
    fc.assert(
      fc.property(value, around, around, (secret, front, back) => {
        const { clean, hits } = scanFor(secret)(`${front}<${write(secret)}>${back}`)
        assert.ok(hits() >= 1, clean)
        const rest = clean.slice(front.length + 1, clean.length - back.length - 1).replace('[REDACTED:it]', '')
        // Blanks and accents at the ends of a value may remain.
        assert.equal(foldDecoded(rest)?.text ?? foldString(rest), '')
      }),
      { numRuns: 60 },
    )
  })
}

test('a secret is found in base64 of any byte encoding, at any alignment, with or without line breaks', () => {
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

test('a secret is found in two nested encodings', () => {
  const names = fc.constantFrom(...Object.keys(encodings))
  fc.assert(
    fc.property(value, names, names, (secret, first, second) => {
      const inner = encodings[first]?.(secret) ?? ''
      const text = encodings[second]?.(inner) ?? ''
      // White space or capitals inside an escape break the escape.
      fc.pre(!/&|\\|%/.test(inner) || !/spaced|wrapped|zero|soft|variation|capital|mathematical|full/.test(second))
      assert.ok(scanFor(secret)(text).hits() >= 1, text)
    }),
    { numRuns: 400 },
  )
})

test('the search terms of a redacted text contain no secret', () => {
  const names = fc.constantFrom(...Object.keys(encodings))
  const word = fc.string({ unit: fc.constantFrom(...'abcdefghz0123456789'), minLength: 12, maxLength: 20 })
  fc.assert(
    fc.property(word, names, around, (secret, name, front) => {
      const { clean } = scanFor(secret)(
        `${front} ${encodings[name]?.(secret)} ${secret.replace(/\d{3}(?=\d)/g, '$&,')}`,
      )
      assert.ok(!indexedTerms(clean).some((term) => term.includes(secret)))
    }),
    { numRuns: 200 },
  )
})

test('a numeric secret is found as a JSON number, which loses leading zeros and digits', () => {
  assert.equal(scanFor('004812345678901')(String(Number('004812345678901'))).clean, '[REDACTED:it]')
  const long = '48123456789012345678901234'
  assert.equal(scanFor(long)(String(Number(long))).clean, '[REDACTED:it]')
})

test('a secret with ß is found with SS instead', () => {
  assert.equal(scanFor('Straße-Große-9')('STRASSE-GROSSE-9').clean, '[REDACTED:it]')
})

test('a text that only resembles a secret is unchanged', () => {
  const scan = scanFor('zq81-kx42-mm07')
  for (const text of ['zq81-kx42-mm7', 'ｚｑ81-kx42', '&#122;q81-kx', 'zq81–kx42–mm07', '% & \\ &# \\u12']) {
    assert.equal(scan(text).clean, text)
  }
})

const longSecret = isThorough ? 50_000 : 15_000

test('a text that nearly contains a long secret at every offset is scanned in linear time, and a real match is found', {
  timeout: 60_000,
}, () => {
  for (const [value, filler] of [
    [`${'a'.repeat(longSecret)}b`, 'a'],
    [`${'ab'.repeat(longSecret / 2)}c d`, 'aB'],
    [`${'a '.repeat(longSecret / 2)}b`, 'a '],
    [`${'é'.repeat(longSecret / 2)}b`, 'É'],
    [`${'a'.repeat(longSecret)}b`, `a${' '.repeat(99)}`],
  ] as const) {
    const scan = scanFor(value)
    const text = filler.repeat(Math.ceil((longSecret * 4) / filler.length))
    assert.equal(scan(text).clean, text)
    assert.equal(scan(`${text}!${value}!${text}`).clean, `${text}![REDACTED:it]!${text}`)
  }
  // Overlapping matches of a periodic value become one marker.
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
