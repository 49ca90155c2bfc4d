import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { firstKey, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { limits } from '../../core/limits.ts'
import { createKey } from '../access/keys.ts'
import { putRule, writeSettings } from '../redaction/rules.ts'
import { type AddRequest, add } from './add.ts'
import { getSourceEvent, verifySourceEvent } from './source-events.ts'
import { changeWriter, createWriter, listWriters, type WriterDraft } from './writers.ts'

const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const messages = said('I moved to Lisbon.')
const source = { service: 'crm', eventId: 'e1', observedAt: Date.parse('2025-12-31T00:00:00Z') }
const request = addRequest(messages, { source })

async function openWithWriter(draft: Partial<WriterDraft> = {}) {
  const world = openUseCases(openInMemoryStore)
  const { writer } = await createWriter(world.tenant, { serviceKey: 'crm', ...draft })
  const call = (given: AddRequest = request, options = {}) => add(world.tenant, given, caller, options)
  return { ...world, writer, call }
}

const jobs = ({ engine }: UseCaseWorld) => engine.storage.jobs.list({ tenantId, status: null, after: null, limit: 10 })

test('a source event is stored once with its job, and sending it again gives the first answer', async () => {
  await using world = await openWithWriter()
  const first = await world.call()
  const repeat = await world.call()
  assert.deepEqual([first.repeated, repeat.repeated], [false, true])
  assert.equal(repeat.event.sourceEventId, first.event.sourceEventId)
  assert.equal((await jobs(world)).length, 1)
})

test('an event may be sent again with another instant and other evidence, but not with other content', async () => {
  await using world = await openWithWriter()
  await world.call()
  const later = { ...source, observedAt: source.observedAt + 1, evidence: [{ id: 'x' }] }
  assert.equal((await world.call(addRequest(messages, { source: later }))).repeated, true)
  const others = [
    addRequest(said('I moved to Porto.'), { source }),
    { ...request, subject: 'bob' },
    { ...request, agentId: 'concierge' },
    { ...request, infer: false },
  ]
  for (const other of others) await rejectsWith('source_event_payload_mismatch', world.call(other))
})

test('the same event id of another service is another event', async () => {
  await using world = await openWithWriter()
  await createWriter(world.tenant, { serviceKey: 'shop' })
  const first = await world.call()
  const other = await world.call(addRequest(messages, { source: { ...source, service: 'shop' } }))
  assert.equal(other.repeated, false)
  assert.notEqual(other.event.sourceEventId, first.event.sourceEventId)
})

test('an event that a concurrent call stored is a repeat, or a mismatch if its content differs', async () => {
  const results = await Promise.all(
    [messages, said('Something else.')].map(async (raced) => {
      let race = async () => {}
      await using world = openUseCases((options) => {
        const storage = openInMemoryStore(options)
        const commit: typeof storage.commit = async (batch) => {
          await race()
          return storage.commit(batch)
        }
        return { ...storage, commit }
      })
      await createWriter(world.tenant, { serviceKey: 'crm' })
      race = async () => {
        race = async () => {}
        await add(world.tenant, addRequest(raced, { source }), caller)
      }
      return await add(world.tenant, request, caller).then(
        ({ repeated }) => repeated,
        ({ code }) => code as string,
      )
    }),
  )
  assert.deepEqual(results, [true, 'source_event_payload_mismatch'])
})

test('an unknown service is refused; a resent event of a deactivated writer gets its first response, a new one is refused', async () => {
  await using world = await openWithWriter()
  await rejectsWith('writer_invalid', world.call(addRequest(messages, { source: { service: 'unknown' } })))
  await world.call()
  await changeWriter(world.tenant, world.writer.writerId, { isActive: false })
  assert.equal((await world.call()).repeated, true)
  await rejectsWith('writer_invalid', world.call(addRequest(messages, { source: { eventId: 'e2' } })))
})

test('a resent event gets its first response also if its messages would be refused now; an unknown one is refused', async () => {
  await using world = await openWithWriter()
  await putRule(world.tenant, 'ticket', { pattern: 'TCK-[0-9]{6}' })
  const sent = said('See TCK-123456.')
  const first = await world.call(addRequest(sent, { source }))
  await writeSettings(world.tenant, { redactionPolicy: 'reject' })
  const resent = await world.call(addRequest(sent, { source }))
  assert.deepEqual([resent.repeated, resent.event.sourceEventId], [true, first.event.sourceEventId])
  await rejectsWith('secret_leakage', world.call(addRequest(sent, { source: { ...source, eventId: 'e2' } })))
  assert.equal((await jobs(world)).length, 1)
})

test('an event of a writer that is bound to an API key is refused with another key', async () => {
  await using world = await openWithWriter()
  const { id } = await createKey(world.tenant, firstKey, { name: 'crm', scopes: ['memory:write'] })
  await changeWriter(world.tenant, world.writer.writerId, { apiKeyId: id })
  await rejectsWith('writer_key_mismatch', world.call())
  const owner = { ...caller, keyId: id }
  assert.equal((await add(world.tenant, request, owner)).repeated, false)
  await rejectsWith('writer_key_mismatch', world.call())
})

test('without a source an event has no service, and the idempotency key decides what is a repeat', async () => {
  await using world = await openWithWriter()
  const plain = addRequest(messages)
  const first = await world.call(plain, { idempotencyKey: 'a1' })
  const repeat = await world.call(plain, { idempotencyKey: 'a1' })
  assert.deepEqual([first.event.service, first.event.observedAt], [null, world.clock.now])
  assert.deepEqual([repeat.repeated, repeat.event.sourceEventId], [true, first.event.sourceEventId])
  assert.equal((await world.call(plain)).repeated, false)
  const other = { ...plain, subject: 'bob' }
  await rejectsWith('idempotency_key_mismatch', world.call(other, { idempotencyKey: 'a1' }))
})

test('only messages of users are inferred from, and the answer says when there are none', async () => {
  await using world = await openWithWriter()
  const plain = addRequest([{ role: 'assistant', content: 'Hello, how are you?' }])
  assert.equal((await world.call(plain)).hasNothing, true)
  assert.equal((await world.call({ ...plain, infer: false })).hasNothing, false)
  assert.equal((await world.call(addRequest(messages))).hasNothing, false)
})

test('messages can be compared with the stored hash, also after they were deleted', async () => {
  await using world = await openWithWriter()
  const { event } = await world.call()
  const check = (given: unknown) => verifySourceEvent(world.tenant, event.sourceEventId, given)
  assert.equal((await check(messages)).matches, true)
  assert.equal((await check(said('I moved to lisbon.'))).matches, false)
  await rejectsWith('not_found', verifySourceEvent(world.tenant, 'src_unknown', messages))
  assert.deepEqual((await getSourceEvent(world.tenant, event.sourceEventId)).event.messages, messages)
})

test('a writer is registered once by its service key, which cannot be changed', async () => {
  await using world = await openWithWriter({ authorityRules: { defaultPriority: 70, categories: {} } })
  const { engine, writer } = world
  await rejectsWith('service_key_exists', createWriter(engine.tenant(tenantId), { serviceKey: 'crm' }))
  await rejectsWith('writer_invalid', changeWriter(engine.tenant(tenantId), writer.writerId, { serviceKey: 'other' }))
  await rejectsWith('writer_not_found', changeWriter(engine.tenant(tenantId), 'wtr_unknown', {}))
  const rules = { defaultPriority: 20, categories: { preference: 90 } }
  const { writer: changed } = await changeWriter(engine.tenant(tenantId), writer.writerId, {
    authorityRules: rules,
  })
  assert.deepEqual(changed.changes, [
    { at: world.clock.now, actor: 'test', old: { defaultPriority: 70, categories: {} }, new: rules },
  ])
})

test('a writer with an unknown API key is refused', async () => {
  await using world = openUseCases(openInMemoryStore)
  await rejectsWith('writer_invalid', createWriter(world.tenant, { serviceKey: 'crm', apiKeyId: 'key_unknown' }))
  assert.deepEqual(await listWriters(world.tenant), [])
})

test('an event may be observed slightly ahead of this clock, but not further', async () => {
  await using world = await openWithWriter()
  const observed = (ms: number) => addRequest(messages, { source: { observedAt: world.clock.now + ms } })
  await rejectsWith('writer_invalid', world.call(observed(limits.observedAheadMs + 1)))
  assert.equal((await world.call(observed(limits.observedAheadMs))).repeated, false)
})
