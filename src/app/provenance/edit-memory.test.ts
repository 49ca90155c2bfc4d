import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { readingExtractor } from '../../../test/support/reading-extractor.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { firstKey, leaseJob, openUseCases } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { ColophonError } from '../../core/errors.ts'
import { createKey } from '../access/keys.ts'
import type { Host } from '../engine.ts'
import { writeSettings } from '../redaction/rules.ts'
import { add } from './add.ts'
import { deleteMemory, type MemoryPatch, patchMemory } from './change-memory.ts'
import { listClaims } from './claims.ts'
import { getMemory, listMemories } from './find-memories.ts'
import { ingest } from './ingest.ts'
import { memoryHistory, memorySources } from './memory-history.ts'
import { getSourceEvent } from './source-events.ts'
import { storyOf } from './story.ts'
import { changeWriter, createWriter } from './writers.ts'

const { signal } = new AbortController()

const folder = createFolder()
after(() => folder.remove())
let files = 0
const stores = {
  model: openInMemoryStore,
  sqlite: (options: { now: () => number }) => openSqlite({ ...options, path: folder.file(`${++files}.db`) }),
}

/** A CRM with priority 80 that is bound to one key, a shop that is bound to none, and an editor. */
async function openEditors(open: (typeof stores)[keyof typeof stores], host: Partial<Host> = {}) {
  const world = openUseCases(open, { host })
  const { tenant, clock } = world
  const key = async (name: string) => (await createKey(tenant, firstKey, { name, scopes: ['memory:write'] })).id
  const [crmKey, editorKey] = [await key('crm'), await key('editor')]
  const rules = (defaultPriority: number) => ({ authorityRules: { defaultPriority, categories: {} } })
  const { writer: crm } = await createWriter(tenant, { serviceKey: 'crm', apiKeyId: crmKey, ...rules(80) })
  await createWriter(tenant, { serviceKey: 'shop', ...rules(0) })
  let events = 0
  /** One message of a service about where Ada lives, ingested; gives the memory that it made. */
  const tell = async (
    content: string,
    parts: { claimKey?: string | null; service?: string; keyId?: string; agentId?: string } = {},
  ) => {
    const { claimKey = 'home', service = 'crm', keyId = crmKey, agentId = null } = parts
    const messages = [{ role: 'user' as const, content, ...(claimKey === null ? {} : { claimKey }) }]
    const caller = { actor: `key:${keyId}`, keyId, requestId: 'req_1' }
    const source = { service, eventId: `e${++events}` }
    const { event } = await add(tenant, addRequest(messages, { infer: false, agentId, source }), caller)
    await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
    clock.advance(1_000)
    const { memories } = await listMemories(tenant, { subject: 'ada', includeSuperseded: true })
    return memories.find((memory) => memory.content === content)?.id ?? ''
  }
  const edit = async (id: string, patch: MemoryPatch, by: { keyId?: string; mayPin?: boolean } = {}) => {
    const { keyId = editorKey, mayPin = false } = by
    const editor = { actor: `key:${keyId}`, requestId: 'req_2', mayPin }
    return (await patchMemory(tenant, id, patch, editor)).memory
  }
  const claim = async () => {
    const [only, ...more] = await listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 10 })
    assert.ok(only && more.length === 0, 'one claim')
    return only
  }
  const active = async () => (await listMemories(tenant, { subject: 'ada' })).memories
  const head = async () => (await tenant.storage.clock(tenant.id))?.position ?? 0
  return { ...world, crm, crmKey, editorKey, tell, edit, claim, active, head }
}

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: an edit by another key is an assertion of that key, and loses to a writer with higher authority`, async () => {
    await using world = await openEditors(open)
    const lisbon = await world.tell('Lisbon')
    const before = await getMemory(world.tenant, lisbon)
    const edited = await world.edit(lisbon, { content: 'Porto' })
    assert.notEqual(edited.id, lisbon)
    assert.deepEqual(
      [edited.content, edited.status, edited.version, edited.source?.service, edited.attribution.keyId],
      ['Porto', 'superseded', 1, null, world.editorKey],
    )
    assert.deepEqual([edited.sources, edited.writers, edited.confidence], [1, 1, 1])
    assert.deepEqual(edited.tags, ['source:api'])
    assert.deepEqual(await getMemory(world.tenant, lisbon), before, 'what was edited stays as it was')
    assert.deepEqual(await world.active(), [before])
    const { winner, contents } = await world.claim()
    assert.equal(winner, lisbon)
    assert.deepEqual(
      contents.map(({ content, status, priority, services, writers }) => [
        content,
        status,
        priority,
        services,
        writers,
      ]),
      [
        ['Lisbon', 'active', 80, ['crm'], 1],
        ['Porto', 'superseded', 0, [], 1],
      ],
    )
    assert.deepEqual(await memorySources(world.tenant, edited.id), [])
  })

  test(`${name}: an edit whose result cannot be read back fails as unavailable, and a retry gets the result`, async (t) => {
    await using world = await openEditors(open)
    const { tenant, head } = world
    const lisbon = await world.tell('Lisbon', { claimKey: null })
    const before = await head()
    const newest = tenant.storage.provenance.newestVersions
    const reading = t.mock.method(tenant.storage.provenance, 'newestVersions', async (...call: [string, string[]]) => {
      if ((await head()) > before) throw new ColophonError('storage_unavailable', 'The connection was lost.')
      return newest.apply(tenant.storage.provenance, call)
    })
    const editor = { actor: `key:${world.editorKey}`, requestId: 'req_2', mayPin: false }
    const edit = () => patchMemory(tenant, lisbon, { content: 'Porto' }, editor, { idempotencyKey: 'porto' })
    await rejectsWith('storage_unavailable', edit())
    reading.mock.restore()
    const { memory, repeated } = await edit()
    assert.deepEqual([memory.content, repeated, await head()], ['Porto', true, before + 1])
  })

  test(`${name}: an edit that wins supersedes what it edits, which keeps its own provenance`, async () => {
    await using world = await openEditors(open)
    await writeSettings(world.tenant, { defaultWriterPriority: 90 })
    const lisbon = await world.tell('Lisbon')
    const then = await world.head()
    const edited = await world.edit(lisbon, { content: 'Porto', importance: 9 })
    assert.deepEqual([edited.status, edited.importance], ['active', 9])
    const former = await getMemory(world.tenant, lisbon)
    assert.deepEqual(
      [former.content, former.status, former.source?.service, former.attribution.keyId],
      ['Lisbon', 'superseded', 'crm', world.crmKey],
    )
    const [asOf] = (await listMemories(world.tenant, { subject: 'ada', asOf: String(then) })).memories
    assert.deepEqual([asOf?.id, asOf?.content, asOf?.source?.service], [lisbon, 'Lisbon', 'crm'])
    // The edit of an edit, in the same millisecond.
    const again = await world.edit(edited.id, { content: 'Faro' })
    assert.equal(again.status, 'active')
    assert.deepEqual(
      (await world.active()).map(({ content }) => content),
      ['Faro'],
    )
    await deleteMemory(world.tenant, again.id)
    assert.deepEqual(
      (await world.active()).map(({ content, version }) => [content, version]),
      [['Porto', 2]],
    )
  })

  test(`${name}: an edit is attributed to a writer only with the key that the writer is bound to`, async () => {
    await using world = await openEditors(open)
    const lisbon = await world.tell('Lisbon')
    const edited = await world.edit(lisbon, { content: 'Porto' }, { keyId: world.crmKey })
    assert.deepEqual(
      [edited.status, edited.source?.service, edited.attribution.keyId, edited.tags],
      ['active', 'crm', world.crmKey, ['source:service:crm']],
    )
    assert.match(edited.source?.eventId ?? '', /^edit:src_/)
    const { event } = await getSourceEvent(world.tenant, edited.source?.sourceEventId ?? '')
    assert.deepEqual(event.messages, [{ role: 'user', content: 'Porto' }])
    await writeSettings(world.tenant, { extractionPayloadRetentionDays: 0 })
    const [priority] = (await world.claim()).contents.map((content) => content.priority)
    assert.equal(priority, 80)
    // An edit is never attributed to a writer that is bound to no key.
    const shop = await world.tell('Braga', { service: 'shop', claimKey: 'work', keyId: world.editorKey })
    const unbound = await world.edit(shop, { content: 'Évora' })
    assert.equal(unbound.source?.service, null)
    await changeWriter(world.tenant, world.crm.writerId, { isActive: false })
    const { event: unkept } = await getSourceEvent(world.tenant, unbound.source?.sourceEventId ?? '')
    assert.deepEqual([unkept.messages, unkept.payloadHash.length], [null, 'sha256:'.length + 64])
    const inactive = await world.edit(edited.id, { content: 'Faro' }, { keyId: world.crmKey })
    assert.equal(inactive.source?.service, null)
  })

  test(`${name}: an edit with a reason is pinned if the key may decide claims`, async () => {
    await using world = await openEditors(open)
    const lisbon = await world.tell('Lisbon')
    const plain = await world.edit(lisbon, { content: 'Porto', reason: 'She wrote so.' })
    assert.equal(plain.status, 'superseded', 'a reason alone decides nothing')
    const edited = await world.edit(lisbon, { content: 'Faro', reason: 'She said so.' }, { mayPin: true })
    assert.equal(edited.status, 'active')
    const { pin, status } = await world.claim()
    assert.deepEqual(
      [status, pin?.memoryId, pin?.actor, pin?.reason],
      ['pinned', edited.id, `key:${world.editorKey}`, 'She said so.'],
    )
    const [created] = await memoryHistory(world.tenant, edited.id)
    assert.deepEqual(
      [created?.change, created?.reason, created?.actor],
      ['created', 'She said so.', `key:${world.editorKey}`],
    )
    await rejectsWith('validation_error', world.edit(edited.id, { importance: 3, reason: 'Alone.' }))
  })

  test(`${name}: a memory without a competing content keeps its id, and the edit is its next version`, async () => {
    await using world = await openEditors(open)
    const tea = await world.tell('Likes tea', { claimKey: null, agentId: 'waiter' })
    const then = await world.head()
    const edited = await world.edit(tea, { content: 'Likes coffee' })
    assert.deepEqual(
      [edited.id, edited.version, edited.status, edited.source?.service, edited.attribution.keyId, edited.tags],
      [tea, 2, 'active', null, world.editorKey, ['source:api']],
    )
    const [asOf] = (await listMemories(world.tenant, { subject: 'ada', asOf: String(then) })).memories
    assert.deepEqual(
      [asOf?.content, asOf?.source?.service, asOf?.attribution, asOf?.tags],
      ['Likes tea', 'crm', { keyId: world.crmKey, agentId: 'waiter' }, ['source:service:crm']],
    )
    const ofAgent = await listMemories(world.tenant, { subject: 'ada', agentId: 'waiter' })
    assert.deepEqual(
      ofAgent.memories.map(({ id, attribution }) => [id, attribution]),
      [[tea, { keyId: world.editorKey }]],
    )
    const { contents, winner } = await world.claim()
    assert.equal(winner, tea)
    assert.deepEqual(
      contents.map(({ content, services, memoryId }) => [content, services, memoryId]),
      [['Likes coffee', [], tea]],
    )
    assert.deepEqual(
      (await memoryHistory(world.tenant, tea)).map(({ change, content, actor }) => [change, content, actor]),
      [
        ['created', 'Likes tea', `key:${world.crmKey}`],
        ['edited', 'Likes coffee', `key:${world.editorKey}`],
      ],
    )
    const { steps: story } = await storyOf(world.tenant, tea)
    assert.deepEqual(
      story.filter(({ step }) => step === 'told' || step === 'edited').map(({ step }) => step),
      ['told', 'edited'],
    )
  })

  test(`${name}: an entry that a client put keeps its id, and the edit names the editor`, async () => {
    await using world = await openEditors(open)
    const { id } = await world.tenant.put('notes', { content: 'one', tags: ['own'] }, { actor: `key:${world.crmKey}` })
    world.clock.advance(1_000)
    const edited = await world.edit(id, { content: 'two' })
    assert.deepEqual(
      [edited.id, edited.version, edited.attribution.keyId, edited.source, edited.writers, edited.tags],
      [id, 2, world.editorKey, null, 1, ['own', 'source:api']],
    )
    assert.equal(edited.observedAt, world.clock.now)
    await rejectsWith('validation_error', world.edit(id, { content: 'three', reason: 'because' }, { mayPin: true }))
    const same = await world.edit(id, { content: 'two', importance: 7 }, { keyId: world.crmKey })
    assert.deepEqual([same.attribution.keyId, same.importance, same.version], [world.editorKey, 7, 3])
  })

  test(`${name}: the same content again is a confirmation, another spelling is an edit`, async () => {
    await using world = await openEditors(open)
    const lisbon = await world.tell('Lisbon')
    const confirmed = await world.edit(lisbon, { content: 'Lisbon', importance: 8 })
    assert.deepEqual(
      [confirmed.id, confirmed.sources, confirmed.writers, confirmed.importance, confirmed.source?.service],
      [lisbon, 2, 2, 8, 'crm'],
    )
    assert.equal(confirmed.attribution.keyId, world.crmKey)
    const spelled = await world.edit(lisbon, { content: 'LISBON' })
    assert.deepEqual(
      [spelled.content, spelled.status, spelled.attribution.keyId],
      ['LISBON', 'superseded', world.editorKey],
    )
    const again = await world.edit(lisbon, { content: 'LISBON' })
    assert.deepEqual([again.id, again.sources, again.writers], [spelled.id, 2, 1])
  })

  test(`${name}: a revision cannot change what a source stated`, async () => {
    await using world = await openEditors(open)
    const lisbon = await world.tell('Lisbon')
    await rejectsWith('validation_error', world.tenant.revise('subject:ada', lisbon, { content: 'Porto' }))
    assert.equal((await getMemory(world.tenant, lisbon)).content, 'Lisbon')
  })

  test(`${name}: a writer counts once, however many events it sends`, async () => {
    await using world = await openEditors(open, { extractor: readingExtractor() })
    for (let n = 0; n < 6; n++) {
      const messages = [{ role: 'user' as const, content: 'Lisbon' }]
      const source = { service: 'shop', eventId: `s${n}` }
      // Another key each time: the writer is the same.
      const caller = { actor: `key:k${n}`, keyId: `k${n}`, requestId: 'req_1' }
      const { event } = await add(world.tenant, addRequest(messages, { source }), caller)
      await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
    }
    const [content] = (await world.claim()).contents
    assert.deepEqual(
      [content?.status, content?.sources, content?.writers, content?.confidence],
      ['buffered', 6, 1, 0.5],
    )
    const messages = [{ role: 'user' as const, content: 'Lisbon' }]
    const caller = { actor: `key:${world.crmKey}`, keyId: world.crmKey, requestId: 'req_1' }
    const { event } = await add(world.tenant, addRequest(messages), caller)
    await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
    const [memory] = await world.active()
    assert.deepEqual([memory?.sources, memory?.writers, memory?.confidence], [7, 2, 0.75])
  })
}
