import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { canonicalJson } from '../canonical.ts'
import { auditBatch } from '../commit/audit-record.ts'
import { nothing } from '../commit/batch.ts'
import { noRows } from '../commit/parts/index.ts'
import { canonicalRecord } from './audit.ts'
import { contentDigest } from './row-digests.ts'

test('the content digest depends on the salt and on every member of an entry', () => {
  const base = {
    salt: '00ff',
    content: 'text',
    tags: ['a'],
    expiresAt: null,
    subject: null,
    classification: null,
    origin: { kind: 'api' } as const,
  }
  const expected = createHash('sha256').update('00ff["text",["a"],null,null,{"kind":"api"}]').digest('base64url')
  assert.equal(contentDigest(base), expected)
  const others = [
    { salt: '00fe' },
    { content: 'texu' },
    { tags: ['b'] },
    { tags: [] },
    { expiresAt: 1 },
    { subject: 'ada' },
    { origin: { kind: 'service', service: 'crm' } as const },
  ]
  for (const other of others) assert.notEqual(contentDigest({ ...base, ...other }), expected)
})

test('canonical JSON orders keys by UTF-16 units and refuses values that JSON cannot represent', () => {
  const value = { b: 1, a: [true, null, 'é'], '\u20ac': -0, '\r': 1e21 }
  assert.equal(canonicalJson(value), '{"\\r":1e+21,"a":[true,null,"é"],"b":1,"€":0}')
  assert.throws(() => canonicalJson({ a: Number.NaN }))
  assert.throws(() => canonicalJson('\ud800'))
})

test('an audit record is canonical JSON without sorting', () => {
  const version = {
    memoryRef: 'r',
    entryId: 'mem_1',
    version: 1,
    content: 'c',
    tags: [],
    salt: 's',
    createdAt: 0,
    expiresAt: null,
    createdPosition: 1,
    ordinal: 0,
    recordedPosition: 1,
    digestPosition: 1,
    endedPosition: 2,
    endedReason: 'de"leted\u2028',
    subject: 'ada',
    classification: null,
    trust: 'untrusted' as const,
    readers: ['ana'],
    origin: { kind: 'api' } as const,
  }
  const batch = {
    tenantId: 'acme',
    actor: 'ünï "quoted" \u0001\u007f🦊',
    kind: 'memory.written' as const,
    ...nothing,
    finish: null,
    idempotency: null,
    mac: (text: string) => `mac of ${text}`,
    redactionVersion: 1,
    redactions: [{ count: 2, field: 'content', rule: 'x' }],
  }
  const prev = 'p'.repeat(64)
  const rows = { ...noRows, versions: [version], endings: [version], erasures: [version] }
  const row = auditBatch(batch, rows, { position: 7, at: 0, prev })
  const record = canonicalRecord(row, 'acme', prev)
  assert.equal(record, canonicalJson(JSON.parse(record)))
  assert.equal(row.hash, createHash('sha256').update(record).digest('hex'))
})
