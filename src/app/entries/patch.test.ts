import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { type MemoryPatch, patchMemory } from '../provenance/change-memory.ts'
import { getMemory } from '../provenance/find-memories.ts'
import { patchEntry } from './patch.ts'

test('a patch stores the next version with the same id and createdAt; members that are left out keep their value', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant, clock } = world
  const { id, createdAt } = await tenant.put('notes', {
    content: 'one',
    tags: ['a'],
    expiresAt: '2026-01-02T00:00:00Z',
  })
  const { position } = await tenant.snapshot()
  clock.advance(1_000)
  const { entry } = await patchEntry(tenant, 'notes', id, { content: 'two' })
  const expiresAt = '2026-01-02T00:00:00.000Z'
  assert.deepEqual(entry, { id, content: 'two', tags: ['a', 'source:api'], createdAt, expiresAt })
  assert.deepEqual((await patchEntry(tenant, 'notes', id, { tags: ['b'] })).entry, {
    ...entry,
    tags: ['b', 'source:api'],
  })
  assert.equal((await tenant.colophon('notes', id))?.version, 3)
  assert.equal((await tenant.get('notes', id, { asOf: position }))?.content, 'one')
})

test('a new content has the caller as its origin; new tags keep the run as the origin of the content', async () => {
  await using world = openUseCases(openInMemoryStore)
  const run = { runId: 'run_1', sequence: 1 }
  const { id } = await world.tenant.put('notes', { content: 'by a run', tags: ['a'] }, { run })
  const kindOf = async () => (await world.tenant.colophon('notes', id))?.origin.kind
  assert.deepEqual((await patchEntry(world.tenant, 'notes', id, { tags: ['b'] })).entry.tags, ['b', 'source:run'])
  assert.equal(await kindOf(), 'run')
  assert.deepEqual((await patchEntry(world.tenant, 'notes', id, { content: 'mine' })).entry.tags, ['b', 'source:api'])
  assert.equal(await kindOf(), 'api')
})

test('a repeated patch gives the first result, until the entry is deleted', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const { id } = await tenant.put('notes', { content: 'one' })
  const patchOnce = (content: string) => patchEntry(tenant, 'notes', id, { content }, { idempotencyKey: 'k' })
  const first = await patchOnce('two')
  await patchEntry(tenant, 'notes', id, { content: 'three' })
  assert.deepEqual(await patchOnce('two'), { ...first, repeated: true })
  await rejectsWith('idempotency_key_mismatch', patchOnce('other'))
  await tenant.delete('notes', id)
  await rejectsWith('content_erased', patchOnce('two'))
  await rejectsWith('not_found', patchEntry(tenant, 'notes', id, { content: 'four' }))
})

test('concurrent patches are all stored, one after another', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { id } = await world.tenant.put('notes', { content: 'one' })
  const texts = ['a', 'b', 'c', 'd']
  await Promise.all(texts.map((content) => patchEntry(world.tenant, 'notes', id, { content })))
  assert.equal((await world.tenant.colophon('notes', id))?.version, 5)
})

test('a patch without changes, with empty content, host tags, a ref of the host or an unknown entry is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const { id } = await tenant.put('notes', { content: 'one' })
  for (const patch of [{}, { content: '' }, { tags: ['source:run'] }, { tags: ['a\u200b'] }, { text: 'x' }])
    await rejectsWith('validation_error', patchEntry(tenant, 'notes', id, patch as { content?: string }))
  for (const ref of ['subject:ada', 'runs:visit'])
    await rejectsWith('validation_error', patchEntry(tenant, ref, id, { content: 'two' }))
  await rejectsWith('validation_error', tenant.revise('subject:ada', id, { content: 'two' }))
  for (const [ref, entryId] of [
    ['notes', 'mem_none'],
    ['other', id],
    ['../x', id],
  ] as const)
    await rejectsWith('not_found', patchEntry(tenant, ref, entryId, { content: 'two' }))
  await rejectsWith('not_found', patchEntry(world.engine.tenant('globex'), 'notes', id, { content: 'two' }))
  assert.equal((await tenant.get('notes', id))?.content, 'one')
})

test('a content stays attributed to the key that wrote it when another key changes tags or importance, archives or restores it', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const [author, other] = [{ actor: 'key:author' }, { actor: 'key:other' }]
  const keyOf = async (id: string) => (await getMemory(tenant, id)).attribution.keyId
  const change = (id: string, patch: MemoryPatch) =>
    patchMemory(tenant, id, patch, { ...other, requestId: 'req_1', mayPin: false })
  const { id } = await tenant.put('notes', { content: 'by the author' }, author)
  await patchEntry(tenant, 'notes', id, { tags: ['b'] }, other)
  assert.equal(await keyOf(id), 'author')
  await change(id, { importance: 9 })
  await change(id, { isArchived: true })
  await change(id, { isArchived: false })
  assert.equal(await keyOf(id), 'author')
  await patchEntry(tenant, 'notes', id, { content: 'by the other' }, other)
  await patchEntry(tenant, 'notes', id, { tags: ['c'] }, author)
  assert.equal(await keyOf(id), 'other')

  const { id: local } = await tenant.put('notes', { content: 'by a process' })
  await change(local, { importance: 9 })
  assert.equal(await keyOf(local), null)
})
