import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportText } from '../../../test/support/export-text.ts'
import { openUseCases, putChain, startRun, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { sealBatch } from '../../core/commit/seal.ts'
import { type ClassedEntry, toClassedEntry } from '../../core/entries/entry.ts'
import { classOf } from '../../core/entries/trust.ts'
import { toPromptContext } from '../../core/search/prompt-context.ts'
import { toContextItem } from '../../nodes/agent-tools.ts'
import { ExportLine } from '../../wires/host/schemas/export-lines.ts'

const copies: Readonly<Record<string, (entry: ClassedEntry) => ClassedEntry>> = {
  spread: (entry) => ({ ...entry }),
  clone: (entry) => structuredClone(entry),
  JSON: (entry) => JSON.parse(JSON.stringify(entry)),
}

test('a copy of an entry that a node was given has its class, and an entry without a class has the lowest', () => {
  const listed = { entryId: 'mem_1', content: 'Tea.', tags: [], createdAt: 0, expiresAt: null }
  const place = { createdPosition: 1, ordinal: 0 }
  for (const trust of ['untrusted', 'agent', 'service', 'verified'] as const)
    for (const [kind, copy] of Object.entries(copies))
      assert.equal(toContextItem(copy(toClassedEntry({ ...listed, ...place, trust }))).trust, trust, kind)
  const { trust: _class, ...without } = toClassedEntry({ ...listed, ...place, trust: 'verified' })
  assert.equal(toContextItem(without).trust, 'untrusted')
  assert.equal(classOf({ trust: 'root' as never }), 'untrusted', 'a class that is not known')
})

test('a prompt marks an item without a class as untrusted, in every format', () => {
  const item = { id: 'm1', content: 'Drinks tea.', category: 'fact' }
  for (const format of ['bullets', 'json', 'xml'] as const)
    assert.equal(
      toPromptContext([item], format, 500).text,
      toPromptContext([{ ...item, trust: 'untrusted' }], format, 500).text,
      format,
    )
})

test('what a run copies through its scratchpad keeps its class: the copy is untrusted too', async () => {
  for (const read of ['list', 'search'] as const) {
    await using world = openUseCases(openInMemoryStore)
    const query = read === 'search' ? { query: 'tea' } : {}
    await putChain(world, 'launder', [
      {
        id: 'page',
        typeId: 'colophon.memory.put',
        config: { memoryRef: 'scratch:', content: 'the page says tea', trust: 'untrusted' },
      },
      { id: 'read', typeId: `colophon.memory.${read}`, config: { memoryRef: 'scratch:', ...query, into: 'found' } },
      { id: 'copy', typeId: 'colophon.memory.put', config: { memoryRef: 'notes', content: 'Tea, says the page.' } },
    ])
    assert.equal((await startRun(world, { workflowId: 'launder' })).status, 'completed')
    const { entries, trust } = await world.tenant.list('notes', { trustMin: 'untrusted' })
    assert.equal(trust?.[entries[0]?.id ?? ''], 'untrusted', read)
  }
})

test('a line of an import without a class has the lowest', async () => {
  await using world = openUseCases(openInMemoryStore)
  await world.tenant.put('notes', { content: 'Tea.' })
  const text = await exportText(world.engine.tenant(tenantId))
  const trustOf = (line: object) => {
    const parsed = ExportLine.parse(line)
    return 'trust' in parsed ? parsed.trust : null
  }
  const [version] = text.split('\n').filter((line) => line.includes('"type":"version"'))
  const { trust, ...without } = JSON.parse(version ?? '')
  assert.deepEqual([trust, trustOf({ ...without, trust }), trustOf(without)], ['agent', 'agent', 'untrusted'])
})

test('a copy of a redacted batch is not stored: it may have other text', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { storage } = world.engine
  let copied: unknown
  const commit = storage.commit.bind(storage)
  storage.commit = async (batch) => {
    copied = { ...batch }
    return commit(batch)
  }
  await world.tenant.put('notes', { content: 'Tea.' })
  for (const copy of [copied, structuredClone({ ...(copied as object), mac: null })])
    assert.throws(
      () => sealBatch(copy as never, { clock: { redactionVersion: 0 } } as never, 0),
      /did not go through the redactor/,
    )
})
