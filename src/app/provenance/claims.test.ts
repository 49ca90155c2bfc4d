import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leaseJob, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openModel } from '../../adapters/model/open.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { rejectsWith } from '../../testing/assert-code.ts'
import { writeSettings } from '../rules.ts'
import { add } from './add.ts'
import { deleteMemory, patchMemory } from './change-memory.ts'
import { type ClaimDecision, getClaim, listClaims, pinClaim, previewRules } from './claims.ts'
import { memoryHistory } from './history.ts'
import { ingest } from './ingest.ts'
import { findMemory, listMemories } from './memories.ts'
import { reresolve } from './reresolve.ts'
import { redactPayloads } from './retention.ts'
import { getSource } from './sources.ts'
import { changeWriter, createWriter, findWriter } from './writers.ts'

const { signal } = new AbortController()
const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }

/** Two writers: the CRM counts for more than the shop. */
async function openWriters() {
  const world = openUseCases(openModel)
  for (const [service_key, default_priority] of [
    ['crm', 80],
    ['shop', 20],
  ] as const) {
    await createWriter(world.tenant, { service_key, authority_rules: { default_priority } })
  }
  let events = 0
  /** One message of a service about where Ada lives, ingested. */
  const ingestFrom = async (service: string | null, content: string, message: Partial<SourceMessage> = {}) => {
    const event_id = `e${++events}`
    const said = { role: 'user', content, claim_key: 'home', ...message }
    const source = service === null ? {} : { source: { service, event_id } }
    const { event } = await add(
      world.tenant,
      { external_user_id: 'ada', infer: false, messages: [said], ...source },
      caller,
    )
    world.clock.advance(1_000)
    const result = await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
    return { ...result, sourceEventId: event.sourceEventId }
  }
  return { ...world, ingestFrom }
}

const claimsOf = ({ tenant }: UseCaseWorld) =>
  listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 10 })
const soleClaim = async (world: UseCaseWorld) => {
  const [claim, ...more] = await claimsOf(world)
  assert.ok(claim && more.length === 0, 'one claim')
  return claim
}
const contentsOf = async (world: UseCaseWorld, options = {}) =>
  (await listMemories(world.tenant, { subject: 'ada', ...options })).data.map(({ content }) => content)
const memoryOf = async (world: UseCaseWorld, content: string) =>
  (await soleClaim(world)).contents.find((item) => item.content === content)?.memoryId ?? ''

test('the writer with the higher priority wins a claim, in whatever order the events arrive', async () => {
  for (const order of [
    ['crm', 'shop'],
    ['shop', 'crm'],
  ]) {
    await using world = await openWriters()
    for (const service of order) await world.ingestFrom(service, service === 'crm' ? 'Lisbon' : 'Porto')
    assert.deepEqual(await contentsOf(world), ['Lisbon'])
    const { status, contents } = await soleClaim(world)
    assert.equal(status, 'settled')
    assert.deepEqual(
      contents.map(({ content, status, services }) => [content, status, services]),
      [
        ['Lisbon', 'active', ['crm']],
        ['Porto', 'superseded', ['shop']],
      ],
    )
  }
})

test('contents without a claim key stand side by side', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Likes tea.', { claim_key: undefined as never })
  await world.ingestFrom('shop', 'Likes coffee.', { claim_key: undefined as never })
  assert.deepEqual((await contentsOf(world)).sort(), ['Likes coffee.', 'Likes tea.'])
})

test('a pin decides against the authority, and taking it back decides by authority again', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const { id } = await soleClaim(world)
  const memoryId = await memoryOf(world, 'Porto')
  const { claim } = await pinClaim(world.tenant, id, { memoryId, reason: 'She said so.' }, { actor: 'bob' })
  assert.deepEqual([claim.status, claim.winner, claim.pin?.actor], ['pinned', memoryId, 'bob'])
  assert.deepEqual(await contentsOf(world), ['Porto'])
  await world.ingestFrom('crm', 'Faro')
  assert.deepEqual(await contentsOf(world), ['Porto'])
  const unpinned = await pinClaim(world.tenant, id, { unpin: true, reason: 'It was a mistake.' })
  // Two contents of equal priority are left: the one that was observed last wins, and the claim is contested.
  assert.deepEqual([unpinned.claim.status, unpinned.claim.pin], ['contested', null])
  assert.deepEqual(await contentsOf(world), ['Faro'])
})

test('a pin needs a memory of this claim', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  const { id } = await soleClaim(world)
  const memoryId = await memoryOf(world, 'Lisbon')
  const pin = (decision: ClaimDecision, claimId = id) => pinClaim(world.tenant, claimId, decision)
  await rejectsWith('validation_error', pin({ reason: 'because' }))
  await rejectsWith('validation_error', pin({ memoryId: 'mem_unknown', reason: 'because' }))
  await rejectsWith('claim_not_found', pin({ memoryId, reason: 'because' }, 'clm_unknown'))
  await rejectsWith('claim_not_found', getClaim(world.tenant, 'c'.repeat(65)))
})

test('a deleted winner gives the claim to the next content, and cannot be pinned any more', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const memoryId = await memoryOf(world, 'Lisbon')
  await deleteMemory(world.tenant, await findMemory(world.tenant, memoryId))
  assert.deepEqual(await contentsOf(world), ['Porto'])
  await rejectsWith('not_found', findMemory(world.tenant, memoryId))
  const { id } = await soleClaim(world)
  await rejectsWith('validation_error', pinClaim(world.tenant, id, { memoryId, reason: 'because' }))
})

test('a preview of other rules names what would change and stores nothing; reresolve does it', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const { engine } = world
  const { writerId } = (await findWriter(engine.tenant(tenantId), 'shop')) ?? { writerId: '' }
  const rules = { default_priority: 90 }
  const preview = await previewRules(engine.tenant(tenantId), writerId, { authority_rules: rules })
  const [lisbon, porto] = [await memoryOf(world, 'Lisbon'), await memoryOf(world, 'Porto')]
  assert.deepEqual(
    [preview.claims, preview.changed, preview.changes.map(({ from, to }) => [from, to])],
    [1, 1, [[lisbon, porto]]],
  )
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  await changeWriter(engine.tenant(tenantId), writerId, { authority_rules: rules })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  const pass = { signal, onProgress: () => {} }
  assert.deepEqual(await reresolve(engine.tenant(tenantId), writerId, pass), { decided: 1, changed: 1 })
  assert.deepEqual(await contentsOf(world), ['Porto'])
  await changeWriter(engine.tenant(tenantId), writerId, { is_active: false })
  assert.deepEqual(await reresolve(engine.tenant(tenantId), writerId, pass), { decided: 1, changed: 1 })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
})

test('a memory is edited only while it is active, and an archived one comes back by unarchiving', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const patch = (id: string, body: Record<string, unknown>) => patchMemory(world.tenant, id, body)
  const [lisbon, porto] = [await memoryOf(world, 'Lisbon'), await memoryOf(world, 'Porto')]
  await rejectsWith('validation_error', patch(porto, { content: 'Porto Alegre' }))
  await rejectsWith('validation_error', patch(porto, { is_archived: true }))
  assert.equal((await patch(lisbon, { content: 'Lisboa', importance: 9 })).memory.content, 'Lisboa')
  await patch(lisbon, { is_archived: true })
  await rejectsWith('validation_error', patch(lisbon, { content: 'Faro' }))
  await patch(lisbon, { is_archived: false })
  assert.deepEqual(await contentsOf(world), ['Lisboa'])
  const steps = (await memoryHistory(world.tenant, lisbon)).map(({ change_type }) => change_type)
  assert.deepEqual(steps, ['created', 'edited', 'archived', 'reactivated'])
})

test('a patch that changes nothing, or mixes archiving with a change, is refused', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  const id = await memoryOf(world, 'Lisbon')
  for (const body of [
    {},
    { content: ' ' },
    { content: 7 },
    { importance: 0 },
    { importance: 11 },
    { importance: 2.5 },
    { is_archived: 'yes' },
    { is_archived: true, content: 'Faro' },
    { priority: 1 },
  ]) {
    await rejectsWith('validation_error', patchMemory(world.tenant, id, body))
  }
  await rejectsWith('not_found', patchMemory(world.tenant, 'mem_unknown', { importance: 1 }))
})

test('an archived memory that lost its claim meanwhile comes back as superseded', async () => {
  await using world = await openWriters()
  await world.ingestFrom('shop', 'Porto')
  const porto = await memoryOf(world, 'Porto')
  await patchMemory(world.tenant, porto, { is_archived: true })
  await world.ingestFrom('crm', 'Lisbon')
  await patchMemory(world.tenant, porto, { is_archived: false })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  assert.deepEqual((await contentsOf(world, { includeSuperseded: true })).sort(), ['Lisbon', 'Porto'])
})

test('ingesting the same event again after its job was cut off stores nothing twice', async () => {
  await using world = await openWriters()
  const { engine } = world
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  const event = await engine.storage.provenance.sourceEvent(tenantId, sourceEventId)
  const lost = { jobId: event?.jobId ?? '', leaseToken: 'of a worker that was lost', spent: false }
  await rejectsWith('job_lease_lost', ingest(engine.tenant(tenantId), sourceEventId, lost, signal))
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  assert.equal((await soleClaim(world)).contents[0]?.sources, 1)
})

test('what a model is too unsure of is rejected; a verbatim message is kept however unsure', async () => {
  await using world = await openWriters()
  const engine = {
    ...world.engine,
    host: {
      ...world.engine.host,
      extractor: {
        ...world.engine.host.extractor,
        extract: async () => ({
          extractor: 'stand-in',
          dropped: 2,
          candidates: [0.1, 0.95].map((confidence) => ({
            content: `Sure by ${confidence}.`,
            category: 'fact' as const,
            importance: 5,
            confidence,
            claimKey: null,
            messages: [0],
          })),
        }),
      },
    },
  }
  const { event } = await add(
    engine.tenant(tenantId),
    { external_user_id: 'ada', messages: [{ role: 'user', content: 'Hello.' }] },
    caller,
  )
  const result = await ingest(engine.tenant(tenantId), event.sourceEventId, await leaseJob(world, event.jobId), signal)
  assert.deepEqual([result.memories_created, result.memories_rejected, result.extractor], [1, 3, 'stand-in'])
  const unsure = await world.ingestFrom('crm', 'Perhaps Faro.', { claim_key: undefined as never, confidence: 0.01 })
  assert.deepEqual([unsure.memories_created, unsure.memories_rejected], [1, 0])
})

test('messages go when their days are over, not before, and the hash and the memory stay', async () => {
  await using world = await openWriters()
  const { engine, clock } = world
  await writeSettings(engine.tenant(tenantId), { extraction_payload_retention_days: 2 })
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  const state = async () => {
    const shown = await getSource(engine.tenant(tenantId), sourceEventId)
    return 'payload' in shown ? [shown.payload_state, shown.memories.length] : []
  }
  clock.advance(2 * 24 * 60 * 60 * 1_000 - 2_000)
  assert.equal((await redactPayloads(engine.tenant(tenantId), signal)).redacted, 0)
  assert.deepEqual(await state(), ['stored', 1])
  clock.advance(2_000)
  assert.equal((await redactPayloads(engine.tenant(tenantId), signal)).redacted, 1)
  assert.deepEqual(await state(), ['redacted', 1])
})

test('messages that a job still has to read are kept, and counted as waiting', async () => {
  await using world = await openWriters()
  const body = { external_user_id: 'ada', messages: [{ role: 'user', content: 'Hello there.' }] }
  const { event } = await add(world.tenant, body, caller)
  world.clock.advance(365 * 24 * 60 * 60 * 1_000)
  assert.deepEqual(await redactPayloads(world.tenant, signal), { redacted: 0, waiting: 1 })
  assert.deepEqual(
    (await world.engine.storage.provenance.sourceEvent(tenantId, event.sourceEventId))?.messages?.length,
    1,
  )
})

test('with a retention of 0 days the messages go in the commit that ingests them', async () => {
  await using world = await openWriters()
  await writeSettings(world.tenant, { extraction_payload_retention_days: 0 })
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  assert.equal((await world.engine.storage.provenance.sourceEvent(tenantId, sourceEventId))?.messages, null)
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
})
