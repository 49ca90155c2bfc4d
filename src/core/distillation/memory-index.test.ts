import assert from 'node:assert/strict'
import { test } from 'node:test'
import { utf8Bytes } from '../check.ts'
import { limits } from '../limits.ts'
import { formatIndex, type IndexEntry, parseIndex, withArchive } from './memory-index.ts'

const at = (n: number): IndexEntry => ({
  archiveId: `arc_${n}`,
  archiveChecksum: 'f'.repeat(64),
  entryCount: n,
  updatedAt: new Date(n * 1_000).toISOString(),
  expiresAt: new Date(n * 1_000 + 1_000_000_000).toISOString(),
})

test('an index has one entry per ref, survives its file, and drops what has expired', () => {
  const one = withArchive({}, 'agents/a', at(1), 0)
  const two = withArchive(withArchive(one, 'agents/b', at(2), 0), 'agents/a', at(3), 0)
  assert.deepEqual(parseIndex(formatIndex(two)), { 'agents/a': at(3), 'agents/b': at(2) })
  assert.deepEqual(withArchive(two, 'agents/a', null, 0), { 'agents/b': at(2) })
  assert.deepEqual(withArchive(two, 'agents/c', at(4), 1_000_002_500), { 'agents/a': at(3), 'agents/c': at(4) })
})

test('a file that is no index is an empty one', () => {
  for (const content of [null, '', 'x', '[]', '{"version":2}', '{"version":1,"refs":{"a":{"archiveId":1}}}', 'null'])
    assert.deepEqual(parseIndex(content), {})
})

test('an index that would be too large keeps the newest archives and counts the others', () => {
  const many = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`agents/${n}`, at(n)]))
  const content = formatIndex(many)
  assert.ok(utf8Bytes(content) <= limits.workspaceFileBytesMax)
  const kept = parseIndex(content)
  assert.ok(kept['agents/599'] && !kept['agents/0'])
  assert.equal((JSON.parse(content) as { omitted: number }).omitted, 600 - Object.keys(kept).length)
})
