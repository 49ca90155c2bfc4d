import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseAuditBody } from '../audit/audit.ts'
import { auditBatch } from '../commit/audit-record.ts'
import { type AuditRow, nothing } from '../commit/batch.ts'
import { noRows } from '../commit/parts/index.ts'
import { blankVersion, type EntryVersion } from './entry.ts'
import { actorOfChange, actorOfWrite, isEndingRecorded, isVersionRecorded } from './entry-audit.ts'

const version: EntryVersion = {
  ...blankVersion,
  memoryRef: 'notes',
  entryId: 'mem_1',
  version: 1,
  content: 'text',
  salt: 's',
  recordedPosition: 7,
  digestPosition: 7,
  origin: { kind: 'api' },
}
const batch = {
  tenantId: 'acme',
  actor: 'key:k1',
  kind: 'memory.written' as const,
  ...nothing,
  finish: null,
  idempotency: null,
  mac: (text: string) => text,
  redactionVersion: 1,
  redactions: [],
}
const rowAt = (position: number, parts: object): AuditRow =>
  auditBatch(batch, { ...noRows, ...parts }, { position, at: 0, prev: 'p'.repeat(64) })

test('an audit record explains only the version that it names with the digest of the stored row', () => {
  const row = rowAt(7, { versions: [version] })
  assert.equal(isVersionRecorded(row, version), true)
  for (const other of [
    { content: 'x' },
    { entryId: 'mem_2' },
    { version: 2 },
    { digestPosition: 8 },
    { memoryRef: 'x' },
  ])
    assert.equal(isVersionRecorded(row, { ...version, ...other }), false, JSON.stringify(other))
  assert.equal(isVersionRecorded(undefined, version), false)
})

test('a record that does not name an entry gives no actor for it', () => {
  const row = rowAt(7, { versions: [version] })
  assert.deepEqual(
    [actorOfWrite(row, 'mem_1'), actorOfWrite(row, 'mem_2'), actorOfWrite(undefined, 'mem_1')],
    ['key:k1', null, null],
  )
  assert.deepEqual(
    [actorOfChange(row, version), actorOfChange(row, { ...version, entryId: 'mem_2' })],
    ['key:k1', null],
  )
})

test('the actor of a write is that of the commit that wrote the entry, whatever else its record names', () => {
  const of = (entryId: string): EntryVersion => ({ ...version, entryId })
  const ids = fc.uniqueArray(fc.constantFrom('a', 'b', '"', ',"written":[', '\\"', 'é'), { maxLength: 3 })
  const property = fc.property(
    ids,
    ids,
    ids,
    fc.constantFrom('key:k1', 'a"b', 'x\\'),
    (written, rewritten, ended, actor) => {
      const endings = ended.map((id) => ({ ...of(id), endedPosition: 7, reason: 'deleted' }))
      const parts = { versions: written.map(of), rewrites: rewritten.map(of), endings }
      const row = auditBatch({ ...batch, actor }, { ...noRows, ...parts } as never, {
        position: 7,
        at: 0,
        prev: 'p'.repeat(64),
      })
      for (const id of [...written, ...rewritten, ...ended])
        assert.equal(actorOfWrite(row, id), written.includes(id) ? actor : null)
      // Where an entry is looked for without parsing the record.
      const members = Object.keys(parseAuditBody(row))
      assert.equal(members[0], 'actor')
      if (written.length > 0) assert.equal(members.at(-1), 'written')
    },
  )
  fc.assert(property)
})

test('an ending is recorded at its position with its reason, also when the version began at that position', () => {
  const ended = { ...version, endedPosition: 9, endedReason: 'deleted' }
  const row = rowAt(9, { endings: [ended] })
  assert.equal(isEndingRecorded([row], ended), true)
  assert.equal(isEndingRecorded([row], { ...ended, endedReason: 'archived' }), false)
  assert.equal(isEndingRecorded([row], { ...ended, endedPosition: 8 }), false)
  const ended7 = { ...version, endedPosition: 7, endedReason: 'superseded' }
  assert.equal(isEndingRecorded([rowAt(7, { versions: [ended7] })], ended7), true)
  assert.equal(isEndingRecorded([rowAt(7, { versions: [version] }), undefined], ended7), false)
})
