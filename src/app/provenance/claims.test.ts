import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { leaseJob, openUseCases, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { writeSettings } from '../redaction/rules.ts'
import { add } from './add.ts'
import { previewAuthority } from './authority.ts'
import { deleteMemory, type MemoryPatch, patchMemory } from './change-memory.ts'
import { type ClaimDecision, getClaim, listClaims, pinClaim } from './claims.ts'
import { findMemory, listMemories } from './find-memories.ts'
import { ingest } from './ingest.ts'
import { memoryHistory } from './memory-history.ts'
import { redactPayloads } from './payload-retention.ts'
import { reresolve } from './reresolve.ts'
import { getSourceEvent } from './source-events.ts'
import { changeWriter, createWriter, findWriter } from './writers.ts'

const { signal } = new AbortController()
const editor = { actor: 'key:k9', requestId: 'req_9', mayPin: false }
const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }

/** Two writers: the CRM has a higher priority than the shop. */
async function openWriters() {
  const world = openUseCases(openInMemoryStore)
  for (const [serviceKey, defaultPriority] of [
    ['crm', 80],
    ['shop', 20],
  ] as const) {
    await createWriter(world.tenant, { serviceKey, authorityRules: { defaultPriority, categories: {} } })
  }
  let events = 0
  /** One message of a service about where Ada lives, ingested. */
  const ingestFrom = async (service: string | null, content: string, message: Partial<SourceMessage> = {}) => {
    const source = service === null ? null : { service, eventId: `e${++events}` }
    const messages = [{ role: 'user' as const, content, claimKey: 'home', ...message }]
    const { event } = await add(world.tenant, addRequest(messages, { infer: false, source }), caller)
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
  (await listMemories(world.tenant, { subject: 'ada', ...options })).memories.map(({ content }) => content)
const memoryOf = async (world: UseCaseWorld, content: string) =>
  (await soleClaim(world)).contents.find((item) => item.content === content)?.memoryId ?? ''

test('the contents of a claim are listed page by page, best first, each once', async () => {
  await using world = await openWriters()
  const cities = ['Lisbon', 'Porto', 'Faro', 'Braga', 'Evora']
  for (const city of cities) await world.ingestFrom('crm', `Ada lives in ${city}.`)
  const { id, contents: all, contentsCursor } = await soleClaim(world)
  assert.deepEqual([all.length, contentsCursor], [5, undefined])
  const seen: string[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await getClaim(world.tenant, id, { limit: 2, cursor })
    seen.push(...page.contents.map(({ content }) => content))
    cursor = page.contentsCursor
    if (cursor === undefined) break
  }
  assert.deepEqual(
    seen,
    all.map(({ content }) => content),
  )
  await rejectsWith('validation_error', getClaim(world.tenant, id, { cursor: 'of-another' }))
})

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

test('contents without a claim key do not compete', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Likes tea.', { claimKey: undefined as never })
  await world.ingestFrom('shop', 'Likes coffee.', { claimKey: undefined as never })
  assert.deepEqual((await contentsOf(world)).sort(), ['Likes coffee.', 'Likes tea.'])
})

test('a pin overrides the authority, and unpinning decides by authority again', async () => {
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

test('after the winner is deleted the next content wins, and the deleted one cannot be pinned', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const memoryId = await memoryOf(world, 'Lisbon')
  await deleteMemory(world.tenant, memoryId)
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
  const rules = { defaultPriority: 90, categories: {} }
  const preview = await previewAuthority(engine.tenant(tenantId), [{ writerId, rules }])
  const [lisbon, porto] = [await memoryOf(world, 'Lisbon'), await memoryOf(world, 'Porto')]
  assert.deepEqual(
    [preview.claims, preview.changed, preview.changes.map(({ from, to }) => [from, to])],
    [1, 1, [[lisbon, porto]]],
  )
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  await changeWriter(engine.tenant(tenantId), writerId, { authorityRules: rules })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  const pass = { signal, onProgress: () => {} }
  assert.deepEqual(await reresolve(engine.tenant(tenantId), [writerId], pass), { decided: 1, changed: 1 })
  assert.deepEqual(await contentsOf(world), ['Porto'])
  await changeWriter(engine.tenant(tenantId), writerId, { isActive: false })
  assert.deepEqual(await reresolve(engine.tenant(tenantId), [writerId], pass), { decided: 1, changed: 1 })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
})

test('only an active memory can be changed, and an archived one is restored by unarchiving', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  await world.ingestFrom('shop', 'Porto')
  const patch = (id: string, change: MemoryPatch) => patchMemory(world.tenant, id, change, editor)
  const [lisbon, porto] = [await memoryOf(world, 'Lisbon'), await memoryOf(world, 'Porto')]
  await rejectsWith('validation_error', patch(porto, { content: 'Porto Alegre' }))
  await rejectsWith('validation_error', patch(porto, { isArchived: true }))
  assert.equal((await patch(lisbon, { importance: 9 })).memory.importance, 9)
  await patch(lisbon, { isArchived: true })
  await rejectsWith('validation_error', patch(lisbon, { content: 'Faro' }))
  await rejectsWith('validation_error', patch(lisbon, { content: 'Faro', isArchived: false }))
  await patch(lisbon, { isArchived: false })
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  const steps = (await memoryHistory(world.tenant, lisbon)).map(({ change }) => change)
  assert.deepEqual(steps, ['created', 'edited', 'archived', 'reactivated'])
})

test('a patch that mixes archiving with a change is refused', async () => {
  await using world = await openWriters()
  await world.ingestFrom('crm', 'Lisbon')
  const id = await memoryOf(world, 'Lisbon')
  for (const change of [{ content: 'Faro' }, { importance: 7 }])
    await rejectsWith('validation_error', patchMemory(world.tenant, id, { ...change, isArchived: true }, editor))
  await rejectsWith('not_found', patchMemory(world.tenant, 'mem_unknown', { importance: 1 }, editor))
})

test('an archived memory whose claim has another winner by now is restored as superseded', async () => {
  await using world = await openWriters()
  await world.ingestFrom('shop', 'Porto')
  const porto = await memoryOf(world, 'Porto')
  await patchMemory(world.tenant, porto, { isArchived: true }, editor)
  await world.ingestFrom('crm', 'Lisbon')
  await patchMemory(world.tenant, porto, { isArchived: false }, editor)
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  assert.deepEqual((await contentsOf(world, { includeSuperseded: true })).sort(), ['Lisbon', 'Porto'])
})

test('ingesting the same event again after its job was interrupted stores nothing twice', async () => {
  await using world = await openWriters()
  const { engine } = world
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  const event = await engine.storage.provenance.sourceEvent(tenantId, sourceEventId)
  const lost = { jobId: event?.jobId ?? '', leaseToken: 'of a worker that was lost', spent: false }
  await rejectsWith('job_lease_lost', ingest(engine.tenant(tenantId), sourceEventId, lost, signal))
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
  assert.equal((await soleClaim(world)).contents[0]?.sources, 1)
})

test('a candidate with too low confidence is rejected; a verbatim message is stored at any confidence', async () => {
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
  const { event } = await add(engine.tenant(tenantId), addRequest(said('Hello.')), caller)
  const result = await ingest(engine.tenant(tenantId), event.sourceEventId, await leaseJob(world, event.jobId), signal)
  assert.deepEqual([result.memoriesCreated, result.memoriesRejected, result.extractor], [1, 3, 'stand-in'])
  const unsure = await world.ingestFrom('crm', 'Perhaps Faro.', { claimKey: undefined as never, confidence: 0.01 })
  assert.deepEqual([unsure.memoriesCreated, unsure.memoriesRejected], [1, 0])
})

test('messages are deleted when their retention ends, not before, and the hash and the memory stay', async () => {
  await using world = await openWriters()
  const { engine, clock } = world
  await writeSettings(engine.tenant(tenantId), { extractionPayloadRetentionDays: 2 })
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  const state = async () => {
    const { event, memories } = await getSourceEvent(engine.tenant(tenantId), sourceEventId)
    return [event.messages === null ? 'redacted' : 'stored', memories.length]
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
  const { event } = await add(world.tenant, addRequest(said('Hello there.')), caller)
  world.clock.advance(365 * 24 * 60 * 60 * 1_000)
  assert.deepEqual(await redactPayloads(world.tenant, signal), { redacted: 0, waiting: 1 })
  assert.deepEqual(
    (await world.engine.storage.provenance.sourceEvent(tenantId, event.sourceEventId))?.messages?.length,
    1,
  )
})

test('with a retention of 0 days the messages are deleted in the commit that ingests them', async () => {
  await using world = await openWriters()
  await writeSettings(world.tenant, { extractionPayloadRetentionDays: 0 })
  const { sourceEventId } = await world.ingestFrom('crm', 'Lisbon')
  assert.equal((await world.engine.storage.provenance.sourceEvent(tenantId, sourceEventId))?.messages, null)
  assert.deepEqual(await contentsOf(world), ['Lisbon'])
})
