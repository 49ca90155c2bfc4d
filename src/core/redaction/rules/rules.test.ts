import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isThorough } from '../../../../test/support/thorough.ts'
import { createPatternScanner, scanForSecretPatterns } from '../secret-patterns.ts'
import { builtInRules } from './index.ts'
import { knownMarkerIds } from './marker-ids.ts'

const scan = (text: string) => {
  const hits: string[] = []
  return { clean: scanForSecretPatterns(text, (rule) => hits.push(rule)), hits }
}

const exampleOf = ({ example }: (typeof builtInRules)[number]) => example.join('')

/** Contexts in which a secret is written, each with the text that must stay on both sides. */
const contexts: Readonly<Record<string, readonly [string, string]>> = {
  prose: ['Please remember this: ', ' and nothing else.'],
  'a line of its own': ['first line\n', '\nlast line'],
  'an env file': ['REGION=eu-west-1\nSETTING=', '\nDEBUG=true\n'],
  'a YAML list': ['items:\n  - ', '\n  - other\n'],
  'brackets of a call': ['connect(', ')'],
}

test('there are many rules, each with its own kebab-case id', () => {
  assert.ok(builtInRules.length >= 90, `${builtInRules.length} rules`)
  assert.equal(new Set(builtInRules.map(({ id }) => id)).size, builtInRules.length)
  for (const { id, description } of builtInRules) {
    assert.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(description.length > 5, id)
  }
})

test('anchors have at least three characters, and no pattern has a stateful flag', () => {
  for (const { id, anchors, before, keep, pattern } of builtInRules) {
    assert.ok(anchors.length > 0, id)
    for (const anchor of anchors) assert.ok(anchor.length >= 3, `${id}: ${anchor}`)
    for (const part of [before, keep, pattern]) assert.doesNotMatch(part?.flags ?? '', /[gymsd]/, id)
    assert.ok(!(before && keep), `${id}: a rule has either before or keep, not both`)
  }
})

for (const rule of builtInRules) {
  test(`${rule.id} finds its example in every context and leaves the rest unchanged`, () => {
    const example = exampleOf(rule)
    for (const [name, [front, back]] of Object.entries(contexts)) {
      const { clean, hits } = scan(front + example + back)
      const where = `${rule.id} in ${name}: ${clean}`
      assert.ok(hits.includes(rule.id), `${where} (${hits})`)
      assert.ok(clean.startsWith(front) && clean.endsWith(back), where)
    }
  })

  test(`${rule.id} finds its example in JSON`, () => {
    const text = JSON.stringify({ note: exampleOf(rule), other: 'stays' })
    const { clean, hits } = scan(text)
    assert.ok(hits.length > 0, clean)
    assert.ok(clean.startsWith('{"note":"') && clean.endsWith('","other":"stays"}'), clean)
    JSON.parse(clean)
  })

  test(`${rule.id} replaces only the secret part of its example`, () => {
    const example = exampleOf(rule)
    const kept = scan(example).clean.split(/\[REDACTED:[^\]]*\]/)
    assert.ok(example.startsWith(kept[0] ?? ''), rule.id)
    assert.ok(example.endsWith(kept.at(-1) ?? ''), rule.id)
    if (rule.keep) assert.ok(kept.join('').length > 0, `${rule.id} replaced its name as well`)
  })
}

/** What people and programs write directly around a secret. */
const marks = [...'.,)"\';:!?…。', '', '\n', '. Next']
const marksBefore = [...'.,("\';:!?…。', '', '\n']
/** Found by its dots and not by an anchor, so it is in no table. */
const dottedToken = ['Mz9kQw2LrT7yBn4VxC1dEf6H', 'Gh3_jK', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N'].join('.')

test('every rule finds its secret next to any punctuation', () => {
  for (const [id, example] of [
    ...builtInRules.map((rule) => [rule.id, exampleOf(rule)] as const),
    ['dotted', dottedToken],
  ]) {
    const [front = '', back = ''] = scan(example ?? '').clean.split(/\[REDACTED:[^\]]*\]/)
    const secret = (example ?? '').slice(front.length, (example ?? '').length - back.length)
    assert.ok(secret.length > 0, id)
    for (const text of [
      ...marks.map((mark) => `see ${example}${mark}`),
      ...marksBefore.map((mark) => `see ${mark}${example}`),
    ]) {
      const { clean, hits } = scan(text)
      assert.ok(hits.length > 0 && !clean.includes(secret), `${id}: ${JSON.stringify(text)} is ${clean}`)
    }
  }
})

test('the text around a secret stays readable', () => {
  const word = ['Tr0ub4', 'dor'].join('')
  for (const [text, clean] of [
    [`postgres://app:${word}@db.internal:5432/app`, 'postgres://app:[REDACTED:database-url]@db.internal:5432/app'],
    [`https://ada:${word}@git.internal/app.git`, 'https://ada:[REDACTED:url-password]@git.internal/app.git'],
    [`DB_PASSWORD=${word}\nDB_PORT=5432`, 'DB_PASSWORD=[REDACTED:password]\nDB_PORT=5432'],
    [`{"password":"${word}","user":"ada"}`, '{"password":"[REDACTED:password]","user":"ada"}'],
    [`Server=db;Password=${word};Encrypt=true`, 'Server=db;Password=[REDACTED:password];Encrypt=true'],
    [`POST /login?password=${word}&next=%2F`, 'POST /login?password=[REDACTED:password]&next=%2F'],
    [`My password is ${word}.`, 'My password is [REDACTED:password].'],
    [`curl -u ada:${word} https://a.internal`, 'curl -u ada:[REDACTED:command-line-login] https://a.internal'],
    [`<password>${word}</password>`, '<password>[REDACTED:password]</password>'],
  ]) {
    assert.equal(scan(text ?? '').clean, clean)
  }
})

test('a rule that knows the format of a secret takes precedence over a rule that matches by name', () => {
  const key = ['gh', 'p_', 'a1B2'.repeat(9)].join('')
  assert.deepEqual(scan(`API_KEY="${key}"`), { clean: 'API_KEY="[REDACTED:github-token]"', hits: ['github-token'] })
  assert.equal(scan(`<REDACTED:${key}>`).clean, '[REDACTED:foreign-marker]')
})

test('a token in the query of a URL is replaced, and the rest of the URL stays', () => {
  for (const rule of builtInRules.filter(({ keep, contextual }) => !keep && !contextual)) {
    const example = exampleOf(rule)
    if (encodeURIComponent(example) !== example) continue
    const { clean, hits } = scan(`https://api.internal/v1?value=${example}&page=2`)
    assert.ok(hits.includes(rule.id), `${rule.id}: ${clean}`)
    assert.ok(clean.startsWith('https://api.internal/v1?value=') && clean.endsWith('&page=2'), clean)
  }
})

test('scanning is idempotent for any combination of examples', () => {
  const parts = fc.constantFrom(
    ...builtInRules.map(exampleOf),
    ...[' ', '\n', '\\n', '=', ':', '"', '-', '_', 'x', '1', 'password=', 'token: ', '[REDACTED:x]', '[REDACTED:', ']'],
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 8 }), (texts) => {
      const { clean } = scan(texts.join(''))
      assert.deepEqual(scan(clean), { clean, hits: [] })
    }),
    { numRuns: 3_000 },
  )
})

test('a marker with a known id is never changed', () => {
  const scanKnown = createPatternScanner(knownMarkerIds(['db-password', 'x']))
  for (const marker of ['[REDACTED:db-password]', '[REDACTED:github-token]', '[REDACTED:x]']) {
    for (const text of [
      marker,
      `password=${marker}`,
      `"token":"${marker}"`,
      `postgres://a:${marker}@b`,
      `${marker}: a1b2c3d4`,
    ]) {
      assert.equal(
        scanKnown(text, (rule) => assert.fail(rule)),
        text,
      )
    }
  }
})

test('scanning never throws, and a text without hits is returned unchanged', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { clean, hits } = scan(text)
      assert.equal(clean === text, hits.length === 0)
    }),
  )
})

/** Linear matching takes some 20 ms of CPU for such a text, quadratic matching more than 5 s. */
const nearTextCharacters = isThorough ? 100_000 : 25_000
const nearTextCpuMsMax = isThorough ? 2_000 : 500

test('texts that almost match are scanned in linear time', () => {
  for (const rule of builtInRules) {
    const example = exampleOf(rule)
    const anchor = rule.anchors[0] ?? ''
    for (const near of [anchor, example.slice(0, Math.ceil(example.length / 2))]) {
      const text = near.repeat(Math.ceil(nearTextCharacters / near.length))
      const before = process.cpuUsage()
      scan(text)
      const { user, system } = process.cpuUsage(before)
      assert.ok((user + system) / 1_000 < nearTextCpuMsMax, `${rule.id}: ${(user + system) / 1_000} ms of CPU`)
    }
  }
})
