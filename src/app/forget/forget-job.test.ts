import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { newSigner } from '../../../test/support/signer.ts'
import {
  leaseJob,
  openUseCases,
  putChain,
  startRun,
  tenantId,
  type UseCaseWorld,
} from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { ColophonError } from '../../core/errors.ts'
import { verifyReceipt } from '../../core/forget/receipt.ts'
import { openReceiptEnvelope } from '../../core/forget/receipt-envelope.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { ingest } from '../provenance/ingest.ts'
import { getSourceEvent, verifySourceEvent } from '../provenance/source-events.ts'
import { createWriter } from '../provenance/writers.ts'
import { verify } from '../verify/verify.ts'
import { runForget } from './forget-job.ts'
import { getForget, getReceiptEnvelope } from './forget-record.ts'
import { forget, startForget as requestForget } from './start-forget.ts'

const { signal } = new AbortController()
const signer = newSigner()
const openWithSigner = () => openUseCases(openInMemoryStore, { host: { signer } })

async function startForget({ tenant }: UseCaseWorld, body: Record<string, unknown>) {
  const answer = await forget(tenant, { reason: 'asked for', ...body })
  assert.ok(!answer.dryRun)
  return answer
}

async function forgetAll(world: UseCaseWorld, body: Record<string, unknown>) {
  const { id, jobId } = await startForget(world, body)
  await runForget(world.tenant, id, await leaseJob(world, jobId), signal)
  return getForget(world.tenant, id)
}

const contents = async ({ tenant }: UseCaseWorld, memoryRef = 'notes', options = {}) =>
  (await list(tenant, memoryRef, options)).entries.map(({ content }) => content)

test('forgotten data is hidden by the request, before the job erases it', async () => {
  await using world = openWithSigner()
  await put(world.tenant, 'notes', { content: 'gone' })
  await put(world.tenant, 'other', { content: 'kept' })
  const { id } = await startForget(world, { memoryRef: 'notes' })
  assert.deepEqual([await contents(world), await contents(world, 'notes', { asOf: 1 })], [[], []])
  assert.deepEqual(await contents(world, 'other'), ['kept'])
  const { status, phase } = await getForget(world.tenant, id)
  assert.deepEqual([status, phase], ['erasing', 'runs'])
})

test('a finished forget has a signed receipt with its counts, and the audit chain is still sound', async () => {
  await using world = openWithSigner()
  for (const content of ['a', 'b']) await put(world.tenant, 'notes', { content, tags: ['x'] })
  const { status, receipt } = await forgetAll(world, { memoryRef: 'notes' })
  assert.equal(status, 'completed')
  assert.deepEqual([receipt?.erased.entries, receipt?.erased.versions, receipt?.host], [2, 2, 'test-host'])
  assert.ok(Object.values(receipt?.left ?? { left: 1 }).every((count) => count === 0))
  assert.deepEqual(verifyReceipt(receipt, signer.publicKey).ok, true)
  const changed = { ...receipt, erased: { ...receipt?.erased, entries: 3 } }
  assert.equal(verifyReceipt(changed, signer.publicKey).ok, false)
  assert.equal((await verify(world.tenant, { contents: true })).ok, true)
})

test('the envelope of a receipt needs a completed forget, and a stored receipt that this host has signed', async () => {
  await using world = openWithSigner()
  const { tenant } = world
  await put(tenant, 'notes', { content: 'a' })
  const { id, jobId } = await startForget(world, { memoryRef: 'notes' })
  await rejectsWith('job_state', getReceiptEnvelope(tenant, id))
  await runForget(tenant, id, await leaseJob(world, jobId), signal)
  const { receipt } = await getForget(tenant, id)
  const envelope = await getReceiptEnvelope(tenant, id)
  assert.deepEqual(openReceiptEnvelope(envelope, signer.publicKey), { ok: true, receipt })
  // Somebody who can change the database must not get a signature for it.
  const record = await tenant.storage.record(tenant.id, 'forget', id)
  assert.ok(record && receipt)
  const facts = { ...record.body.facts, receipt: { ...receipt, erased: { ...receipt.erased, entries: 9 } } }
  const admin = [{ kind: 'forget', id, body: { ...record.body, facts }, expects: record.revision }] as const
  await tenant.commit({ kind: 'admin.forget.changed' as never, admin }, { call: { operation: 'test' } })
  await rejectsWith('receipt_unverified', getReceiptEnvelope(tenant, id))
})

test('a receipt and a record name what was forgotten by a keyed digest only', async () => {
  await using world = openWithSigner()
  await put(world.tenant, 'secret-project', { content: 'a' })
  const shown = await forgetAll(world, { memoryRef: 'secret-project' })
  assert.ok(!JSON.stringify(shown).includes('secret-project'))
  const { digest } = await world.engine.contextOf(tenantId)
  assert.equal(shown.selector.mac, digest('forget.memoryRef.secret-project'))
})

test('a dry run counts what would be erased and changes nothing', async () => {
  await using world = openWithSigner()
  for (const content of ['a', 'b']) await put(world.tenant, 'notes', { content })
  const before = await world.engine.storage.clock(tenantId)
  const answer = await forget(world.tenant, { memoryRef: 'notes', reason: 'asked for', dryRun: true })
  assert.ok(answer.dryRun)
  assert.deepEqual([answer.counts.entries, answer.counts.versions], [2, 2])
  assert.deepEqual(await world.engine.storage.clock(tenantId), before)
  assert.deepEqual(await contents(world), ['b', 'a'])
})

test('entries that a run wrote after it read forgotten ones are erased too, unless the request says otherwise', async () => {
  for (const cascade of [true, false]) {
    await using world = openWithSigner()
    await put(world.tenant, 'notes', { content: 'origin' })
    await putChain(world, 'copies', [
      { id: 'early', typeId: 'colophon.memory.put', config: { memoryRef: 'copies', content: 'before the read' } },
      { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes' } },
      { id: 'late', typeId: 'colophon.memory.put', config: { memoryRef: 'copies', content: 'after the read' } },
    ])
    await startRun(world, { workflowId: 'copies' })
    await forgetAll(world, { memoryRef: 'notes', cascade })
    const left = cascade ? ['before the read'] : ['after the read', 'before the read']
    assert.deepEqual(await contents(world, 'copies'), left)
  }
})

test('a forgotten source event leaves a tombstone: it cannot be sent again, and its hash is erased', async () => {
  await using world = openWithSigner()
  const { engine } = world
  await createWriter(engine.tenant(tenantId), { serviceKey: 'crm' })
  const messages = said('Lives in Lisbon.')
  const request = (eventId: string) => addRequest(messages, { infer: false, source: { service: 'crm', eventId } })
  const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
  const { event } = await add(engine.tenant(tenantId), request('e1'), caller)
  await ingest(engine.tenant(tenantId), event.sourceEventId, await leaseJob(world, event.jobId), signal)
  const memories = async () => (await listMemories(engine.tenant(tenantId), { subject: 'ada' })).memories.length
  assert.equal(await memories(), 1)
  await forgetAll(world, { subject: 'ada' })
  assert.equal(await memories(), 0)
  await rejectsWith('source_event_erased', add(engine.tenant(tenantId), request('e1'), caller))
  await rejectsWith('source_event_erased', verifySourceEvent(engine.tenant(tenantId), event.sourceEventId, messages))
  const shown = await getSourceEvent(engine.tenant(tenantId), event.sourceEventId)
  assert.deepEqual([shown.event.isErased, shown.event.subject, shown.memories], [true, '', []])
  assert.equal((await add(engine.tenant(tenantId), request('e2'), caller)).repeated, false)
})

test('a step that is repeated after a conflict still erases the messages of what is forgotten', async () => {
  let conflicts = 0
  await using world = openUseCases(
    (options) => {
      const storage = openInMemoryStore(options)
      const commit: typeof storage.commit = async (batch) => {
        if (batch.kind.startsWith('forget.') && batch.claims.length > 0 && conflicts++ === 0)
          throw new ColophonError('version_conflict', 'Another writer changed it first.')
        return storage.commit(batch)
      }
      return { ...storage, commit }
    },
    { host: { signer } },
  )
  const { engine, tenant } = world
  await createWriter(tenant, { serviceKey: 'crm' })
  const request = addRequest(said('Lives in Lisbon.'), { infer: false, source: { service: 'crm', eventId: 'e1' } })
  const { event } = await add(tenant, request, { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' })
  await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
  const [memory] = (await listMemories(tenant, { subject: 'ada' })).memories
  const selector = { kind: 'memory', value: memory?.id ?? '' } as const
  const { id, jobId } = await requestForget(tenant, { selector, reason: 'asked for', cascade: true }, {})
  await runForget(tenant, id, await leaseJob(world, jobId), signal)
  assert.ok(conflicts > 1, 'the step was decided again')
  assert.equal((await getForget(tenant, id)).counts.payloads, 1)
  assert.equal((await engine.storage.provenance.sourceEvent(tenantId, event.sourceEventId))?.messages, null)
})

test('forgetting one writer keeps the assertions of another writer for the same claim', async () => {
  await using world = openWithSigner()
  const { engine } = world
  const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
  for (const [serviceKey, defaultPriority] of [
    ['crm', 80],
    ['shop', 20],
  ] as const) {
    await createWriter(engine.tenant(tenantId), { serviceKey, authorityRules: { defaultPriority, categories: {} } })
    const message = { role: 'user' as const, content: `Home by ${serviceKey}`, claimKey: 'home' }
    const request = addRequest([message], { infer: false, source: { service: serviceKey } })
    const { event } = await add(engine.tenant(tenantId), request, caller)
    await ingest(engine.tenant(tenantId), event.sourceEventId, await leaseJob(world, event.jobId), signal)
  }
  const shown = async () =>
    (await listMemories(engine.tenant(tenantId), { subject: 'ada' })).memories.map(({ content }) => content)
  assert.deepEqual(await shown(), ['Home by crm'])
  await forgetAll(world, { writer: 'crm' })
  assert.deepEqual(await shown(), ['Home by shop'])
})

test('an interrupted job resumes and counts nothing twice', async () => {
  await using world = openWithSigner()
  for (const content of ['a', 'b']) await put(world.tenant, 'notes', { content })
  const { id, jobId } = await startForget(world, { memoryRef: 'notes' })
  const lease = await leaseJob(world, jobId)
  const withoutSigner = { ...world.engine, host: { ...world.engine.host, signer: null } }
  // Everything is erased, and only the receipt is missing.
  await rejectsWith('signing_key_missing', runForget(withoutSigner.tenant(tenantId), id, lease, signal))
  assert.equal((await getForget(world.tenant, id)).status, 'erasing')
  await assert.rejects(runForget(world.tenant, id, lease, AbortSignal.abort()))
  await runForget(world.tenant, id, lease, signal)
  const { status, counts, receipt } = await getForget(world.tenant, id)
  assert.deepEqual([status, counts.entries, receipt?.erased.entries], ['completed', 2, 2])
})

test('a worker that lost its lease erases nothing', async () => {
  await using world = openWithSigner()
  await put(world.tenant, 'notes', { content: 'a' })
  const { id, jobId } = await startForget(world, { memoryRef: 'notes' })
  const lost = { jobId, leaseToken: 'of another worker', spent: false }
  await rejectsWith('job_lease_lost', runForget(world.tenant, id, lost, signal))
  assert.equal((await getForget(world.tenant, id)).phase, 'runs')
})

test('a request names exactly one thing, and its reason does not repeat it', async () => {
  await using world = openWithSigner()
  const refused = [
    { reason: 'asked for' },
    { reason: 'asked for', subject: 'ada', tag: 'x' },
    { reason: 'Ada asked for it', subject: 'ada' },
  ]
  for (const body of refused) await rejectsWith('validation_error', forget(world.tenant, body))
})
