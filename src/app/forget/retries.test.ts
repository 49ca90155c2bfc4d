import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { removeEntry, revise } from '../entries/change.ts'
import { patchEntry } from '../entries/patch.ts'
import { put, putMany } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { deleteMemory, patchMemory } from '../provenance/change-memory.ts'
import { runForget } from './forget-job.ts'
import { forget, startForget } from './start-forget.ts'

const { signal } = new AbortController()
const signer = newSigner()

async function forgetAda(world: UseCaseWorld, isErased = true) {
  const answer = await forget(world.tenant, { subject: 'ada', reason: 'asked for' })
  assert.ok(!answer.dryRun)
  if (isErased) await runForget(world.tenant, answer.id, await leaseJob(world, answer.jobId), signal)
}

const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const editor = { actor: 'key:k1', requestId: 'req_1', mayPin: false }
const by = (idempotencyKey: string) => ({ idempotencyKey })

/** Every call with an idempotency key that stores a text about Ada; each returns the call to retry. */
async function everyWrite({ tenant }: UseCaseWorld) {
  const about = { content: 'Ada prefers tea.', subject: 'ada' }
  const one = await put(tenant, 'notes', about)
  const other = await put(tenant, 'notes', { content: 'About nobody.' })
  const retries = {
    put: () => put(tenant, 'notes', about, by('ada-1')),
    batch: () => putMany(tenant, 'notes', [{ content: 'About nobody.' }, about], by('ada-1')),
    revise: () => revise(tenant, 'notes', one.id, { content: 'Ada prefers coffee.' }, by('ada-1')),
    patchEntry: () => patchEntry(tenant, 'notes', one.id, { content: 'Ada prefers milk.' }, by('ada-1')),
    patch: () => patchMemory(tenant, one.id, { content: 'Ada prefers water.' }, editor, by('ada-1')),
    add: () => add(tenant, addRequest(said('I prefer tea.'), { subject: 'ada' }), caller, by('ada-1')),
  }
  for (const write of Object.values(retries)) await write()
  await removeEntry(tenant, 'notes', other.id, by('other'))
  return retries
}

const stored = async ({ tenant }: UseCaseWorld) =>
  (await list(tenant, 'notes')).entries.map(({ content }) => content).sort()

for (const [moment, isErased] of [
  ['once the fence is up', false],
  ['once everything is erased', true],
] as const) {
  // Model rule: fence.no-retry
  test(`a retry of a forgotten write is refused and stores nothing, ${moment}`, async () => {
    await using world = openUseCases(openInMemoryStore, { host: { signer } })
    const retries = await everyWrite(world)
    await forgetAda(world, isErased)
    const before = await stored(world)
    const { add: retriedAdd, ...writes } = retries
    for (const retry of Object.values(writes)) await rejectsWith('content_erased', retry(), 'Ada')
    await rejectsWith(isErased ? 'content_erased' : 'source_event_erased', retriedAdd(), 'tea')
    assert.deepEqual(await stored(world), before)
    assert.deepEqual(before, ['About nobody.'])
  })
}

test('a tombstone contains neither the key nor the call, and outlives the retention of the key', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer } })
  const retries = await everyWrite(world)
  await forgetAda(world)
  const rows = await world.engine.storage.forget.outcomes({ tenantId, after: null, limit: 100 })
  assert.ok(!rows.some(({ key }) => key.includes('ada')))
  const tombstones = rows.filter(({ key }) => key.startsWith('erased:'))
  assert.equal(tombstones.length, Object.keys(retries).length)
  for (const { outcome } of tombstones) assert.deepEqual(outcome.entries, [])
  world.clock.advance(limits.erasedKeyHoldMs - 1)
  await rejectsWith('content_erased', retries.put())
  world.clock.advance(1)
  assert.ok(await retries.put(), 'then the key is free again')
})

test('a retry of a delete, or of a call about another subject, is not refused', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer } })
  const kept = () => put(world.tenant, 'notes', { content: 'Bob prefers coffee.', subject: 'bob' }, by('bob-1'))
  const first = await kept()
  const { id } = await put(world.tenant, 'notes', { content: 'Ada prefers tea.', subject: 'ada' })
  await removeEntry(world.tenant, 'notes', id, by('gone'))
  await forgetAda(world)
  assert.deepEqual(await kept(), first)
  assert.equal((await removeEntry(world.tenant, 'notes', id, by('gone'))).deleted, false)
})

test('an erased memory is not stored again by a retry of its put', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer } })
  const retry = () => put(world.tenant, 'notes', { content: 'gone for good' }, by('k'))
  const { id } = await retry()
  const selector = { kind: 'memory', value: id } as const
  const started = await startForget(world.tenant, { selector, reason: 'hard delete', cascade: true })
  await runForget(world.tenant, started.id, await leaseJob(world, started.jobId), signal)
  await rejectsWith('content_erased', retry(), 'good')
  assert.deepEqual(await stored(world), [])
})

test('a retry of an edit does not return a memory that was deleted since', async () => {
  await using world = openUseCases(openInMemoryStore, { host: { signer } })
  const { id } = await put(world.tenant, 'notes', { content: 'first' })
  const retry = () => patchMemory(world.tenant, id, { content: 'second' }, editor, by('k'))
  await retry()
  await deleteMemory(world.tenant, id)
  await rejectsWith('content_erased', retry(), 'second')
  await rejectsWith('not_found', patchMemory(world.tenant, id, { content: 'second' }, editor, by('another')))
})
