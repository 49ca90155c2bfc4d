import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { redactJson } from '../../src/core/redaction/redact-json.ts'
import { scanForSecretPatterns } from '../../src/core/redaction/secret-patterns.ts'
import { createGenerator } from './generator.ts'
import { ordinaryAfterName } from './ordinary-development.ts'

/** Of random letters after a name, and of ordinary words there. */
const redactedMin = 0.98
const ordinaryChangedMax = 0.05
const valuesPerLength = 20

const clean = (text: string) => scanForSecretPatterns(text, () => {})
const inJson = (name: string) => (value: string) =>
  JSON.stringify(redactJson({ [name]: value }, { scan: scanForSecretPatterns, onHit: () => {} }))

/** A name and a value of letters behind it, as people and programs write them. */
const places: Readonly<Record<string, (value: string) => string>> = {
  password: (value) => clean(`password: ${value}`),
  'a line of settings': (value) => clean(`DB_HOST=db.internal\nDB_PASSWORD=${value}\n`),
  code: (value) => clean(`const apiKey = '${value}'`),
  'a line of an INI file': (value) => clean(`password = ${value}\nuser = ada\n`),
  'a sentence': (value) => clean(`My password is ${value}.`),
  'an exclamation': (value) => clean(`My password is ${value}!`),
  'quotes of a keyboard': (value) => clean(`password: “${value}”`),
  'German quotes': (value) => clean(`Das Passwort ist „${value}“.`),
  'a sentence with its purpose': (value) => clean(`The token for staging is ${value}, please keep it.`),
  German: (value) => clean(`Das Passwort lautet ${value}`),
  'another language': (value) => clean(`mot de passe : ${value}`),
  Chinese: (value) => clean(`密码：${value}`),
  'a short name': (value) => clean(`pw: ${value}`),
  'a secret': (value) => clean(`client_secret: ${value}`),
  'a key': (value) => clean(`X-Api-Key: ${value}`),
  'a flag': (value) => clean(`tool --password ${value} --user ada`),
  'a member': inJson('password'),
  'a member of a secret': inJson('clientSecret'),
}

const alphabets = { lower: 'abcdefghijklmnopqrstuvwxyz', upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ' }
const cases = { ...alphabets, mixed: alphabets.lower + alphabets.upper }

for (const [spelling, alphabet] of Object.entries(cases)) {
  test(`letters drawn at random in ${spelling} case are redacted after a name, whatever their number`, (t) => {
    const g = createGenerator(12)
    let all = 0
    const missed: string[] = []
    for (let length = 8; length <= 40; length++) {
      for (let i = 0; i < valuesPerLength; i++) {
        const value = g.from(alphabet, length)
        for (const [place, write] of Object.entries(places)) {
          all += 1
          if (write(value).includes(value)) missed.push(`${length} letters in ${place}: ${value}`)
        }
      }
    }
    const redacted = 1 - missed.length / all
    t.diagnostic(`${(100 * redacted).toFixed(2)} % of ${all}`)
    for (const line of missed.slice(0, 10)) t.diagnostic(line)
    assert.ok(redacted >= redactedMin, `${redacted}`)
    for (const place of Object.keys(places)) {
      const here = missed.filter((line) => line.includes(` in ${place}: `)).length
      assert.ok(1 - here / (33 * valuesPerLength) >= redactedMin, `${place}: ${here}`)
    }
  })
}

/** Texts by an author who has not seen the rules: one per line. */
const strangersList = new URL('ordinary-after-name.txt', import.meta.url)
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '')

for (const [list, texts] of [
  ['the development list', ordinaryAfterName],
  ['the list of a stranger', linesOf(readFileSync(strangersList, 'utf8'))],
] as const) {
  test(`ordinary words after a name stay: ${list}`, (t) => {
    const changed = texts.filter((text) => clean(text) !== text)
    const rate = changed.length / texts.length
    t.diagnostic(`${(100 * rate).toFixed(2)} % of ${texts.length} changed`)
    for (const text of changed) t.diagnostic(`${text} -> ${clean(text)}`)
    assert.ok(texts.length > 0 && rate <= ordinaryChangedMax, `${rate}`)
  })
}
