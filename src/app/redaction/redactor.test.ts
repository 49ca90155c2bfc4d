import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { scanInline } from '../../adapters/scan/inline-scan.ts'
import { limits } from '../../core/limits.ts'
import type { ScanRules, TenantScanners } from '../../core/redaction/tenant-scanners.ts'
import type { ScanThreads } from '../../ports/scan-threads.ts'
import { createRedactor } from './redactor.ts'

const none: ScanRules = { secrets: [], rules: [] }
const value = 'correct horse battery'
const long = (text: string) => `${text} ${'Ada prefers tea. '.repeat(1_000)}`

/** Scans in this thread and records the requests. Its clock is fixed unless given. */
function world(rules: ScanRules = none, clock = () => 0) {
  const asked: { kind: string; texts: number }[] = []
  const threads: ScanThreads = {
    scan: (_tenant, given, kind, texts) => {
      asked.push({ kind, texts: texts.length })
      return scanInline(given, kind, texts)
    },
    close: async () => {},
  }
  return { asked, ...createRedactor(threads, 'acme', rules, clock) }
}

const cleaned =
  (...texts: string[]) =>
  ({ scan }: TenantScanners) => {
    const hits: string[] = []
    return { texts: texts.map((text) => scan(text, (rule) => hits.push(rule))), hits }
  }

test('short texts are scanned inline, without a promise and without a thread', () => {
  const { redact, asked } = world({ secrets: [{ id: 'pw', value }], rules: [{ id: 'ticket', pattern: 'TCK-[0-9]+' }] })
  const expected = { texts: ['[REDACTED:pw] and [REDACTED:ticket]', 'tea'], hits: ['pw', 'ticket'] }
  assert.deepEqual(redact(cleaned(`${value} and TCK-1`, 'tea')), expected)
  assert.deepEqual(asked, [])
})

test('a long text is scanned by a thread, and no result from before that is returned', async () => {
  const { redact, asked } = world({ secrets: [{ id: 'pw', value }], rules: [] })
  const made: string[][] = []
  const found = await redact((scanners) => {
    const result = cleaned(value, long(value), `${value}!`)(scanners)
    made.push(result.texts)
    return result
  })
  assert.deepEqual(found, {
    texts: ['[REDACTED:pw]', long('[REDACTED:pw]'), '[REDACTED:pw]!'],
    hits: ['pw', 'pw', 'pw'],
  })
  assert.deepEqual(asked, [{ kind: 'text', texts: 1 }])
  // The first result contained the unscanned long text: it must not be returned.
  assert.deepEqual(
    made.map(([, text]) => text?.includes(value)),
    [true, false],
  )
})

test('after the time limit the rest of a batch is scanned by a thread in one request', async () => {
  let now = 0
  const { redact, asked } = world(none, () => now++)
  const texts = Array.from({ length: 100 }, (_, at) => `${'tea '.repeat(50)}${at}`)
  const found = await redact(cleaned(...texts))
  assert.deepEqual(found, { texts, hits: [] })
  assert.equal(asked.length, 1)
  assert.ok((asked[0]?.texts ?? 0) > 50)
})

test('a short text is scanned inline, however long the machine was busy meanwhile', () => {
  let now = 0
  const { redact, asked } = world(none, () => (now += 1_000))
  assert.deepEqual(redact(cleaned('tea', 'coffee')), { texts: ['tea', 'coffee'], hits: [] })
  assert.deepEqual(asked, [])
})

test('an error from a call with a deferred text is discarded like a result', async () => {
  const { redact } = world({ secrets: [{ id: 'pw', value }], rules: [] })
  const isClean = ({ scan }: TenantScanners) => {
    if (scan(long(value), () => {}).includes(value)) throw new Error('It came back with its secret.')
    return 'clean'
  }
  assert.equal(await redact(isClean), 'clean')
})

test('names are scanned without the rules of the operator, in a thread too', async () => {
  const { redact, asked } = world({ secrets: [{ id: 'pw', value }], rules: [{ id: 'tea', pattern: 'prefers' }] })
  const clean = await redact(({ scanNames }) => scanNames(long(value), () => {}))
  assert.deepEqual([clean, asked], [long('[REDACTED:pw]'), [{ kind: 'name', texts: 1 }]])
})

test('with a large vault even short texts are scanned by a thread', async () => {
  const secrets = Array.from({ length: 300 }, (_, at) => ({ id: `s${at}`, value: `${at}-${'é'.repeat(40)}` }))
  const { redact, asked, vaultBytes } = world({ secrets, rules: [] })
  assert.ok(vaultBytes > limits.scanInlineVaultBytesMax)
  const { texts } = await redact(cleaned(`It is ${secrets[7]?.value}.`))
  assert.deepEqual([texts, asked], [['It is [REDACTED:s7].'], [{ kind: 'text', texts: 1 }]])
})

test('rules that are slow for a short text run in a thread', async () => {
  const { redact, asked } = world({ secrets: [], rules: [{ id: 'costly', pattern: '(?i)(?:\\pL{1,40}[^z]){1,20}z' }] })
  await redact(cleaned('tea '.repeat(100)))
  assert.equal(asked.length, 1)
})

test('instructions of rules times characters of a text has a limit', async () => {
  const { redact } = world({ secrets: [], rules: [{ id: 'costly', pattern: '(?:a{1,900}b)z' }] })
  await rejectsWith('redaction_budget_exceeded', async () => redact(cleaned('a'.repeat(1_000_000))))
})
