import assert from 'node:assert/strict'
import type { EntryVersion } from '../../../src/core/entries/entry.ts'
import { batchOf } from './batch.ts'
import { assertIntact } from './intact.ts'
import type { ContractTest, World } from './world.ts'

async function rewriteAll(
  { storage }: World,
  change: (version: EntryVersion) => { content: string; tags: string[] } | null,
) {
  const versions = await storage.scanVersions({ tenantId: 'acme', after: null, limit: 100 })
  const rewrites = versions.flatMap((version) => {
    const text = change(version)
    const { memoryRef, entryId, salt } = version
    return text ? [{ memoryRef, entryId, version: version.version, ...text, readSalt: salt, salt: `new ${salt}` }] : []
  })
  return storage.commit(batchOf({ tenantId: 'acme', kind: 'memory.redacted', rewrites }))
}

/** Redacting stored text: in place, at every position, and with a verifiable audit chain. */
export function rewritesContract(test: ContractTest): void {
  test('a rewritten text is rewritten at every position, in lists by tag too, and the chain still holds', async (world) => {
    const memory = world.colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'old secret', tags: ['secret', 'kept'] })
    await memory.revise('notes', entry.id, { content: 'new secret', tags: ['secret'] })
    await memory.put('notes', { content: 'harmless', tags: ['kept'] })
    const { outcome } = await rewriteAll(world, ({ content, tags }) =>
      content.includes('secret')
        ? { content: content.replace('secret', '[GONE]'), tags: tags.map((tag) => tag.replace('secret', '[GONE]')) }
        : null,
    )
    assert.equal(outcome.entries.length, 2)
    const contents = async (options: object) =>
      (await memory.list('notes', options)).entries.map(({ content }) => content)
    assert.deepEqual(await contents({}), ['harmless', 'new [GONE]'])
    assert.deepEqual(await contents({ asOf: 1 }), ['old [GONE]'])
    assert.deepEqual(await contents({ tag: 'secret' }), [])
    assert.deepEqual(await contents({ tag: 'secret', asOf: 1 }), [])
    assert.deepEqual(await contents({ tag: '[GONE]' }), ['new [GONE]'])
    assert.deepEqual(await contents({ tag: '[GONE]', asOf: 1 }), ['old [GONE]'])
    assert.deepEqual(await contents({ tag: 'kept', asOf: 1 }), ['old [GONE]'])
    await memory.delete('notes', entry.id)
    assert.deepEqual(await contents({ tag: '[GONE]' }), [])
    await assertIntact(memory, 5)
  })

  test('a text that changed since it was read, or does not exist, is not rewritten', async (world) => {
    const memory = world.colophon.memory('acme')
    await memory.put('notes', { content: 'text' })
    const [stored] = await world.storage.scanVersions({ tenantId: 'acme', after: null, limit: 1 })
    assert.ok(stored)
    const rewrite = { memoryRef: 'notes', entryId: stored.entryId, version: 1, content: 'stale', tags: [], salt: 's' }
    const commit = (parts: object) =>
      world.storage.commit(batchOf({ tenantId: 'acme', rewrites: [{ ...rewrite, readSalt: stored.salt, ...parts }] }))
    assert.equal((await commit({ readSalt: 'another' })).outcome.entries.length, 0)
    assert.equal((await commit({ version: 7 })).outcome.entries.length, 0)
    assert.equal((await memory.snapshot()).position, 1)
    assert.deepEqual(
      (await memory.list('notes')).entries.map(({ content }) => content),
      ['text'],
    )
  })

  test('concurrent rewriting and deleting of the same entry leave no live tag', async (world) => {
    const memory = world.colophon.memory('acme')
    const entry = await memory.put('notes', { content: 'x', tags: ['secret'] })
    const rewriting = rewriteAll(world, () => ({ content: 'y', tags: ['clean'] }))
    await Promise.all([rewriting, memory.delete('notes', entry.id)])
    for (const tag of ['secret', 'clean']) assert.deepEqual((await memory.list('notes', { tag })).entries, [])
    assert.equal((await memory.get('notes', entry.id, { asOf: 1 }))?.content, 'y')
    await assertIntact(memory)
  })

  test('all versions are scanned in order, page by page', async (world) => {
    const memory = world.colophon.memory('acme')
    const { entries } = await memory.putMany(
      'a',
      Array.from({ length: 5 }, (_, i) => ({ content: String(i) })),
    )
    await memory.revise('a', entries[2]?.id ?? '', { content: 'revised' })
    await world.colophon.memory('other').put('a', { content: 'of another tenant' })
    const seen: string[] = []
    for (let after: EntryVersion | null = null; ; ) {
      const page: readonly EntryVersion[] = await world.storage.scanVersions({ tenantId: 'acme', after, limit: 2 })
      seen.push(...page.map((version) => `${version.entryId} ${version.version}`))
      after = page.at(-1) ?? null
      if (after === null) break
    }
    assert.equal(seen.length, 6)
    assert.deepEqual(seen, seen.toSorted())
  })
}
