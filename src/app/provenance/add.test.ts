import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openModel } from '../../adapters/model/open.ts'
import { rejectsWith } from '../../testing/assert-code.ts'
import { createKey } from '../keys.ts'
import { add } from './add.ts'
import { getSource, verifySource } from './sources.ts'
import { changeWriter, createWriter, listWriters } from './writers.ts'

const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
const messages = [{ role: 'user', content: 'I moved to Lisbon.' }]
const source = { service: 'crm', event_id: 'e1', observed_at: '2025-12-31T00:00:00Z' }
const body = { external_user_id: 'ada', messages, source }

async function openWithWriter(draft: object = {}) {
  const world = openUseCases(openModel)
  const { writer } = await createWriter(world.tenant, { service_key: 'crm', ...draft })
  const call = (given: Record<string, unknown> = body, options = {}) => add(world.tenant, given, caller, options)
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
  const later = { ...source, observed_at: '2025-12-31T12:00:00Z', evidence: [{ id: 'x' }] }
  assert.equal((await world.call({ ...body, source: later })).repeated, true)
  const others = [
    { ...body, messages: [{ role: 'user', content: 'I moved to Porto.' }] },
    { ...body, external_user_id: 'bob' },
    { ...body, agent_id: 'concierge' },
    { ...body, infer: false },
  ]
  for (const other of others) await rejectsWith('source_event_payload_mismatch', world.call(other))
})

test('the same event id of another service is another event', async () => {
  await using world = await openWithWriter()
  await createWriter(world.tenant, { service_key: 'shop' })
  const first = await world.call()
  const other = await world.call({ ...body, source: { ...source, service: 'shop' } })
  assert.equal(other.repeated, false)
  assert.notEqual(other.event.sourceEventId, first.event.sourceEventId)
})

test('an event that another call stored meanwhile is a repeat, or a mismatch if its content differs', async () => {
  const results = await Promise.all(
    [messages, [{ role: 'user', content: 'Something else.' }]].map(async (raced) => {
      let race = async () => {}
      await using world = openUseCases((options) => {
        const storage = openModel(options)
        const { provenance } = storage
        const sourceEventNamed: typeof provenance.sourceEventNamed = async (...query) => {
          const found = await provenance.sourceEventNamed(...query)
          await race()
          return found
        }
        return { ...storage, provenance: { ...provenance, sourceEventNamed } }
      })
      await createWriter(world.tenant, { service_key: 'crm' })
      race = async () => {
        race = async () => {}
        await add(world.tenant, { ...body, messages: raced }, caller)
      }
      return await add(world.tenant, body, caller).then(
        ({ repeated }) => repeated,
        ({ code }) => code as string,
      )
    }),
  )
  assert.deepEqual(results, [true, 'source_event_payload_mismatch'])
})

test('an unknown service is refused; a deactivated writer keeps its old answers and stores nothing new', async () => {
  await using world = await openWithWriter()
  await rejectsWith('writer_invalid', world.call({ ...body, source: { ...source, service: 'unknown' } }))
  await world.call()
  await changeWriter(world.tenant, world.writer.writerId, { is_active: false })
  assert.equal((await world.call()).repeated, true)
  await rejectsWith('writer_invalid', world.call({ ...body, source: { ...source, event_id: 'e2' } }))
})

test('a writer that is bound to an API key refuses events that come with another key', async () => {
  await using world = await openWithWriter()
  const { id } = await createKey(world.tenant, { name: 'crm', scopes: ['memory:write'] })
  await changeWriter(world.tenant, world.writer.writerId, { api_key_id: id })
  await rejectsWith('writer_key_mismatch', world.call())
  const owner = { ...caller, keyId: id }
  assert.equal((await add(world.tenant, body, owner)).repeated, false)
  await rejectsWith('writer_key_mismatch', world.call())
})

test('without a source an event has no service, and the idempotency key decides what is a repeat', async () => {
  await using world = await openWithWriter()
  const plain = { external_user_id: 'ada', messages }
  const first = await world.call(plain, { idempotencyKey: 'a1' })
  const repeat = await world.call(plain, { idempotencyKey: 'a1' })
  assert.deepEqual([first.event.service, first.event.observedAt], [null, world.clock.now])
  assert.deepEqual([repeat.repeated, repeat.event.sourceEventId], [true, first.event.sourceEventId])
  assert.equal((await world.call(plain)).repeated, false)
  const other = { ...plain, external_user_id: 'bob' }
  await rejectsWith('idempotency_key_mismatch', world.call(other, { idempotencyKey: 'a1' }))
})

test('only messages of users are inferred from, and the answer says when there are none', async () => {
  await using world = await openWithWriter()
  const plain = { external_user_id: 'ada', messages: [{ role: 'assistant', content: 'Hello, how are you?' }] }
  assert.equal((await world.call(plain)).hasNothing, true)
  assert.equal((await world.call({ ...plain, infer: false })).hasNothing, false)
  assert.equal((await world.call({ external_user_id: 'ada', messages })).hasNothing, false)
})

test('messages can be compared with the stored hash, also after they are no longer kept', async () => {
  await using world = await openWithWriter()
  const { event } = await world.call()
  const check = (given: unknown) => verifySource(world.tenant, event.sourceEventId, { messages: given })
  assert.equal((await check(messages)).matches, true)
  assert.equal((await check([{ role: 'user', content: 'I moved to lisbon.' }])).matches, false)
  await rejectsWith('not_found', verifySource(world.tenant, 'src_unknown', { messages }))
  const shown = await getSource(world.tenant, event.sourceEventId)
  assert.deepEqual('payload' in shown && [shown.payload_state, shown.payload], ['stored', { messages }])
})

test('a writer is registered once by its service key, which cannot be changed', async () => {
  await using world = await openWithWriter({ authority_rules: { default_priority: 70 } })
  const { engine, writer } = world
  await rejectsWith('service_key_exists', createWriter(engine.tenant(tenantId), { service_key: 'crm' }))
  await rejectsWith('writer_invalid', changeWriter(engine.tenant(tenantId), writer.writerId, { service_key: 'other' }))
  await rejectsWith('writer_not_found', changeWriter(engine.tenant(tenantId), 'wtr_unknown', {}))
  const rules = { default_priority: 20, categories: { preference: 90 } }
  const { writer: changed } = await changeWriter(engine.tenant(tenantId), writer.writerId, {
    authority_rules: rules,
  })
  assert.deepEqual(changed.changes, [
    { at: world.clock.now, actor: 'test', old: { default_priority: 70, categories: {} }, new: rules },
  ])
})

test('a writer with malformed rules, an unknown key or an unknown member is refused', async () => {
  await using world = openUseCases(openModel)
  const refused: object[] = [
    { service_key: 'Crm' },
    { service_key: '' },
    { service_key: 'crm', authority_rules: { default_priority: 101 } },
    { service_key: 'crm', authority_rules: { default_priority: 1.5 } },
    { service_key: 'crm', authority_rules: { categories: { mood: 1 } } },
    { service_key: 'crm', api_key_id: 'key_unknown' },
    { service_key: 'crm', is_active: 'yes' },
    { service_key: 'crm', priority: 5 },
  ]
  for (const draft of refused) await rejectsWith('writer_invalid', createWriter(world.tenant, draft))
  assert.deepEqual(await listWriters(world.tenant), [])
})
