import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThorough } from '../../../test/support/thorough.ts'
import { scanForSecretPatterns } from './secret-patterns.ts'

const scan = (text: string) => {
  const rules: string[] = []
  return { text: scanForSecretPatterns(text, (rule) => rules.push(rule)), rules }
}

/** Built at run time, so that repository scanners do not report this file. */
const join = (...parts: string[]) => parts.join('')
const samples: Readonly<Record<string, string>> = {
  'model-provider-key': join('sk', '-', 'ant-api03-', 'aB3_'.repeat(8)),
  'google-api-key': join('AI', 'za', 'Sy'.repeat(17)),
  'json-web-token': join('ey', 'JhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiIxIn0', '.', 'abcdefgh-_1234'),
  'bearer-token': join('Bearer ', 'abc.DEF-'.repeat(4)),
  'aws-access-key-id': join('AK', 'IA', 'ABCDEFGH12345678'),
  'github-token': join('gh', 'p_', 'a1B2'.repeat(9)),
  'slack-token': join('xo', 'xb-', '1234567890-abcdef'),
  'private-key': join('-----BEGIN RSA PRIV', 'ATE KEY-----\nMIIEpAIB\nAAKCAQEA\n-----END RSA PRIV', 'ATE KEY-----'),
}

for (const [rule, secret] of Object.entries(samples)) {
  test(`${rule} is replaced and reported by its rule`, () => {
    assert.deepEqual(scan(`before ${secret} after`), { text: `before [REDACTED:${rule}] after`, rules: [rule] })
    assert.deepEqual(scan(`${secret} ${secret}`).rules, [rule, rule])
  })
}

test('the canaries of a conformance run are replaced', () => {
  const canary = join('s', 'k-canary-rfc0062-do-not-leak-qrs456')
  assert.ok(!scan(`notes with ${canary}`).text.includes('canary'))
  assert.equal(scan('User confirmed: [BYOK:hk_live_canary_42]').text, 'User confirmed: [REDACTED:byok]')
  assert.equal(scan('Resolved <REDACTED:db-prod-creds> outage.').text, 'Resolved [REDACTED:db-prod-creds] outage.')
})

test('a marker with an unknown id is scanned like ordinary text', () => {
  const password = join('Tr0ub4', 'dor&3')
  for (const text of [
    `password=[REDACTED:${password}]`,
    `password=[REDACTED:${password}`,
    `"password": "[REDACTED:${password}]"`,
    `password: [REDACTED: ${password}]`,
    `password=[REDACTED:[REDACTED:${password}]]`,
  ]) {
    assert.ok(!scan(text).text.includes('Tr0ub4'), scan(text).text)
    assert.deepEqual(scan(scan(text).text).rules, [])
  }
  assert.equal(scan(`key [REDACTED:${samples['github-token']}]`).text, 'key [REDACTED:github-token]')
  assert.equal(
    scan(`[REDACTED:a] password=[REDACTED:${password}] [REDACTED:b]`).text,
    '[REDACTED:a] password=[REDACTED:password] [REDACTED:b]',
  )
})

test('Discord tokens are found by their three parts, and dotted names are not matched', () => {
  const parts = ['Mz9kQw2LrT7yBn4VxC1dEf6H', 'Gh3_jK', 'pQ8sT-uV2wX4yZ6aB8cD0eF1gH3']
  assert.deepEqual(scan(`bot ${parts.join('.')} runs`), {
    text: 'bot [REDACTED:discord-bot-token] runs',
    rules: ['discord-bot-token'],
  })
  for (const text of [
    'MicrosoftVisualStudioCodeTools.Module.SomeVeryLongClassNameWithManyWords',
    'NotificationCenterManager2.Helper.showUserNotificationWithTitle',
    'Monthly2024_report_for_all.region2.of_the_whole_company_in_europe',
    `x${parts.join('.')}`,
    'Mz9kQw2LrT7yBn4VxC1dEf6H.Gh3_jK.short',
  ]) {
    assert.deepEqual(scan(text), { text, rules: [] })
  }
})

test('ordinary text is unchanged', () => {
  for (const text of [
    'The risk-averse task-force asked-for a sk-etch.',
    'commit 9fceb02d0ae598e95dc970b74767f19372d61af8',
    '01a1df38-ac77-7ced-af6d-875d2e6e4c80',
    'Bearer of bad news',
    '[REDACTED:already] stays',
    'eyJ is how base64 JSON begins',
  ]) {
    assert.deepEqual(scan(text), { text, rules: [] })
  }
})

// Quadratic matching would need minutes for these; linear matching needs milliseconds.
test('long texts that almost match are scanned in linear time', { timeout: 60_000 }, () => {
  const characters = isThorough ? 1_000_000 : 200_000
  const long = (text: string) => text.repeat(Math.ceil(characters / text.length))
  const nearMisses = [
    join('s', 'k-'),
    'eyJ',
    'eyJ-',
    'eyJaaaaaaaa.',
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY',
    '[BYOK:',
    '<REDACTED:',
    'Bearer a',
    'AIza-',
  ]
  for (const text of nearMisses) scan(long(text))
})
