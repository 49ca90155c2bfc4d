import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { leaseJob, openUseCases, putChain, tenantId, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { isUnfinished } from '../../core/jobs/job.ts'
import { limits } from '../../core/limits.ts'
import { contain } from '../containment/contain.ts'
import { release } from '../containment/release.ts'
import { removeEntry, revise } from '../entries/change.ts'
import { put } from '../entries/put.ts'
import { get, list } from '../entries/read.ts'
import { releaseFromQuarantine } from '../provenance/quarantine.ts'
import { writeSettings } from '../redaction/rules.ts'
import { allEvents } from '../runs/recorded-run.ts'
import { getCommitment, pageOfCommitments } from './find-commitments.ts'
import { fireCommitment } from './fire-commitment.ts'
import { fireJobKind } from './fire-job.ts'
import { type InferencePayload, inferFromEntries, inferJobKind } from './infer-commitments.ts'
import { cancelCommitment, createCommitment, editCommitment } from './manage-commitments.ts'

const dayMs = 24 * 60 * 60 * 1_000
const reminder = 'Remind me tomorrow at 9 to call Ana.'
const tomorrow = '2026-01-02T09:00:00.000Z'
const condition = 'When the invoice is paid, tell Ana.'

/** Runs every job of commitments that is due, as a worker would. */
async function work(world: UseCaseWorld): Promise<unknown[]> {
  const results: unknown[] = []
  const { jobs } = world.engine.storage
  const all = await jobs.list({ tenantId, status: 'queued', after: null, limit: 500 })
  for (const { jobId, kind, payload, dueAt } of all.toReversed()) {
    if (dueAt > world.clock.now || (kind !== inferJobKind && kind !== fireJobKind)) continue
    const lease = await leaseJob(world, jobId)
    const { commitmentId = '' } = payload as { commitmentId?: string }
    const result =
      kind === inferJobKind
        ? await inferFromEntries(world.tenant, payload as InferencePayload, lease)
        : await fireCommitment(world.tenant, commitmentId, lease)
    if (!lease.spent)
      await world.tenant.commit({ kind: 'memory.written' }, { completes: lease, call: { operation: 'done' } })
    results.push(result)
  }
  return results
}

const views = ({ tenant }: UseCaseWorld) => pageOfCommitments(tenant, {}, { after: null, limit: 500 })
const only = async (world: UseCaseWorld) => (await views(world))[0] ?? assert.fail('there is no commitment')

async function openWith(content: string, draft: object = {}) {
  const world = openUseCases(openInMemoryStore)
  const entry = await put(world.tenant, 'notes', { content, ...draft })
  await work(world)
  return { ...world, entry }
}

test('an entry with a reminder gets one commitment, which names the entry and its time', async () => {
  await using world = await openWith(reminder)
  const view = await only(world)
  const sentence = reminder.slice(0, -1)
  assert.deepEqual(
    [view.memoryRef, view.memoryId, view.intention, view.condition, view.at, view.status, view.rule],
    ['notes', world.entry.id, sentence, 'time', tomorrow, 'waiting', 'en.reminder'],
  )
  // It is no memory: lists and reads of memory do not show it.
  assert.deepEqual((await list(world.tenant, 'commitments:notes')).entries, [])
  assert.equal(await get(world.tenant, 'commitments:notes', view.id), null)
  await rejectsWith('validation_error', put(world.tenant, 'commitments:notes', { content: 'x' }))
})

test('a commit tries no rule: sentences are examined in the job', async (t) => {
  await using world = openUseCases(openInMemoryStore)
  const exec = t.mock.method(RegExp.prototype, 'exec')
  await put(world.tenant, 'notes', { content: Array.from({ length: 50 }, (_, n) => `Remind me a${n}.`).join(' ') })
  const tried = exec.mock.calls.filter(({ arguments: [text] }) => text === 'Remind me a7').length
  exec.mock.restore()
  assert.equal(tried, 0)
  assert.deepEqual(await work(world), [{ inferred: 0, limited: 0 }])
})

test('inference is idempotent: the same sentence of an entry is one commitment in any version', async () => {
  await using world = await openWith(reminder)
  const { id } = await only(world)
  await revise(world.tenant, 'notes', world.entry.id, { content: `${reminder} It is urgent.` })
  assert.deepEqual(await work(world), [{ inferred: 0, limited: 0 }])
  assert.deepEqual([(await views(world)).map((view) => view.id), (await only(world)).status], [[id], 'waiting'])
})

test('a time fires once, with one event in a maintenance run and one run of the workflow', async () => {
  await using world = await openWith(reminder)
  await putChain(world, 'tell', [{ id: 'a', typeId: 'core.noop' }])
  await writeSettings(world.tenant, { commitmentWorkflow: 'tell' })
  assert.deepEqual(await work(world), [], 'nothing is due before its time')
  world.clock.advance(3 * dayMs)
  const [result] = await work(world)
  const view = await only(world)
  assert.deepEqual(result, { fired: true, runId: view.runId, enqueuedRunId: view.enqueuedRunId })
  assert.equal(view.status, 'fired')
  const events = await allEvents(world.tenant, view.runId ?? '')
  assert.deepEqual(
    events.map(({ type }) => type),
    ['run.started', 'commitment.fired', 'run.completed'],
  )
  assert.deepEqual(events[1]?.payload, {
    commitmentId: view.id,
    memoryRef: 'notes',
    condition: 'time',
    memoryId: world.entry.id,
    enqueuedRunId: view.enqueuedRunId,
  })
  const run = await world.engine.storage.runs.get(tenantId, view.enqueuedRunId ?? '')
  assert.deepEqual(run?.text.inputs, { commitmentId: view.id, memoryRef: 'notes', memoryId: world.entry.id })
  world.clock.advance(dayMs)
  assert.deepEqual(await work(world), [])
})

/** The facts of the run that the only commitment starts at its time. */
async function startedFacts(world: UseCaseWorld) {
  world.clock.advance(3 * dayMs)
  await work(world)
  const { enqueuedRunId = '' } = await only(world)
  const { actor, reader } =
    (await world.engine.storage.runs.get(tenantId, enqueuedRunId))?.facts ?? assert.fail('no run')
  return [actor, reader]
}

async function openWithWorkflow() {
  const world = openUseCases(openInMemoryStore)
  await putChain(world, 'tell', [{ id: 'a', typeId: 'core.noop' }])
  await writeSettings(world.tenant, { commitmentWorkflow: 'tell' })
  return world
}

test('the run of a commitment acts for who stored it, or edited it last, and sees no more', async () => {
  const draft = { memoryRef: 'notes', intention: 'call Ana', at: tomorrow, readers: ['ada', 'ben'] }
  await using created = await openWithWorkflow()
  await createCommitment(created.tenant.withReader('ben'), draft, { actor: 'key:key_bootstrap_b' })
  assert.deepEqual(await startedFacts(created), ['key:key_bootstrap_b', 'ben'])
  await using edited = await openWithWorkflow()
  const { view } = await createCommitment(edited.tenant, draft, { actor: 'key:key_bootstrap' })
  await editCommitment(
    edited.tenant.withReader('ben'),
    view.id,
    { workflowId: 'tell' },
    { actor: 'key:key_bootstrap_b' },
  )
  assert.deepEqual(await startedFacts(edited), ['key:key_bootstrap_b', 'ben'])
})

test('the run of an inferred commitment acts for the key that wrote the entry, and sees no more', async () => {
  await using world = await openWithWorkflow()
  await put(
    world.tenant.withReader('ben'),
    'notes',
    { content: reminder, readers: ['ben'] },
    { actor: 'key:key_bootstrap_b' },
  )
  await work(world)
  assert.deepEqual(await startedFacts(world), ['key:key_bootstrap_b', 'ben'])
  // It is not known for whom: it fires, and starts no run.
  await using restricted = await openWithWorkflow()
  await put(restricted.tenant, 'notes', { content: reminder, readers: ['ben'] })
  await work(restricted)
  await assert.rejects(startedFacts(restricted), /no run/)
  assert.equal((await only(restricted)).status, 'fired')
})

test('two calls with one idempotency key at the same time get one commitment', async () => {
  await using world = openUseCases(openInMemoryStore)
  const draft = { memoryRef: 'notes', intention: 'call Ana', at: tomorrow }
  const create = () => createCommitment(world.tenant, draft, { idempotencyKey: 'once' })
  const made = await Promise.all([create(), create()])
  assert.deepEqual(made[0]?.view, made[1]?.view)
  assert.deepEqual(made.map(({ repeated }) => repeated).sort(), [false, true])
  assert.equal((await views(world)).length, 1)
})

test('of two workers one fires', async () => {
  await using world = await openWith(reminder)
  world.clock.advance(3 * dayMs)
  const { id } = await only(world)
  const [job] = (await world.engine.storage.jobs.list({ tenantId, status: 'queued', after: null, limit: 9 })).filter(
    ({ kind }) => kind === fireJobKind,
  )
  const lease = await leaseJob(world, job?.jobId ?? '')
  const results = await Promise.allSettled([
    fireCommitment(world.tenant, id, { ...lease }),
    fireCommitment(world.tenant, id, { ...lease }),
  ])
  const fired = results.filter((result) => result.status === 'fulfilled' && result.value?.fired)
  assert.equal(fired.length, 1)
  const runs = await world.engine.storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 9 })
  assert.equal(runs.length, 1)
})

test('a condition fires once a later entry of the ref asserts it', async () => {
  await using world = await openWith(condition)
  assert.equal((await only(world)).statement, 'the invoice is paid')
  const next = async (content: string, draft: object = {}, ref = 'notes') => {
    await put(world.tenant, ref, { content, ...draft })
    world.clock.advance(limits.commitmentPollMs)
    await work(world)
    return (await only(world)).status
  }
  assert.equal(await next('The invoice is not paid yet.'), 'waiting')
  assert.equal(await next('The invoice was paid.', {}, 'other'), 'waiting', 'another ref')
  assert.equal(await next('The invoice was paid.', { trust: 'untrusted' }), 'waiting', 'an untrusted text')
  assert.equal(await next('The invoice was paid.', { readers: ['bob'] }), 'waiting', 'one that not everyone sees')
  assert.equal(await next('The invoice was paid on Monday.'), 'fired')
  const { runId = '' } = await only(world)
  assert.equal((await allEvents(world.tenant, runId))[1]?.payload.condition, 'predicate')
  assert.equal(await next('The invoice was paid again.'), 'fired')
  const runs = await world.engine.storage.runs.list({ tenantId, status: null, workflowId: null, after: null, limit: 9 })
  assert.equal(runs.length, 1)
})

test('a write of this process wakes a waiting condition at once, if it has the words of the condition', async () => {
  await using world = await openWith(condition)
  await work(world)
  for (const content of ['The parcel was sent.', 'The invoice was sent.']) await put(world.tenant, 'notes', { content })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(await work(world), [], 'other texts wake nothing')
  await put(world.tenant, 'notes', { content: 'The invoice was paid.' })
  await new Promise((resolve) => setImmediate(resolve))
  await work(world)
  assert.equal((await only(world)).status, 'fired')
})

test('a commitment ends with its entry: deleted, revised', async () => {
  const statusAfter = async (change: (world: Awaited<ReturnType<typeof openWith>>) => Promise<unknown>, draft = {}) => {
    await using world = await openWith(reminder, draft)
    await change(world)
    const { status, reason } = await only(world)
    world.clock.advance(3 * dayMs)
    const [result] = (await work(world)) as { fired: boolean }[]
    assert.equal(result?.fired, false)
    return [status, reason]
  }
  assert.deepEqual(await statusAfter(({ tenant, entry }) => removeEntry(tenant, 'notes', entry.id)), [
    'ended',
    'source_deleted',
  ])
  const rewrite = { content: 'Never mind.' }
  assert.deepEqual(await statusAfter(({ tenant, entry }) => revise(tenant, 'notes', entry.id, rewrite)), [
    'ended',
    'source_revised',
  ])
})

test('a contained commitment waits for the release: its own, or that of its entry', async () => {
  for (const isOwn of [true, false]) {
    await using world = openUseCases(openInMemoryStore)
    const { tenant } = world
    const actor = 'key:key_bootstrap_b'
    const { id } = await put(tenant, 'notes', { content: 'Ana has a phone.' }, isOwn ? {} : { actor })
    const draft = { memoryRef: 'notes', intention: 'call Ana', at: tomorrow, memoryId: id }
    await createCommitment(tenant, draft, isOwn ? { actor } : {})
    const contained = await contain(tenant, { key: 'key_bootstrap_b' })
    assert.ok(!contained.dryRun)
    world.clock.advance(2 * dayMs)
    assert.deepEqual(await work(world), [null], 'the job is put aside')
    await release(tenant, contained.containment.id)
    world.clock.advance(limits.commitmentPollMs)
    await work(world)
    assert.equal((await only(world)).status, 'fired')
  }
})

test('a condition ends with its entry too, and stops waiting', async () => {
  await using world = await openWith(condition)
  await work(world)
  await removeEntry(world.tenant, 'notes', world.entry.id)
  world.clock.advance(limits.commitmentPollMs)
  assert.deepEqual(await work(world), [{ fired: false, reason: 'source_deleted' }])
  world.clock.advance(limits.commitmentPollMs)
  assert.deepEqual(await work(world), [])
})

test('an untrusted text meets no condition, also for a tenant that reads untrusted texts', async () => {
  await using world = await openWith(condition)
  await writeSettings(world.tenant, { trustFloorRead: 'untrusted' })
  await put(world.tenant, 'notes', { content: 'The invoice was paid.', trust: 'untrusted' })
  world.clock.advance(limits.commitmentPollMs)
  await work(world)
  assert.equal((await only(world)).status, 'waiting')
})

test('an untrusted entry starts nothing until a person releases it', async () => {
  await using world = await openWith(reminder, { trust: 'untrusted' })
  assert.equal((await only(world)).status, 'quarantined')
  await using released = await openWith(reminder, { trust: 'untrusted' })
  await releaseFromQuarantine(released.tenant, released.entry.id, 'checked', { actor: 'op', requestId: 'req_1' })
  await work(released)
  assert.equal((await only(released)).status, 'waiting')
  for (const [each, expected] of [
    [world, 'ended'],
    [released, 'fired'],
  ] as const) {
    each.clock.advance(3 * dayMs)
    await work(each)
    assert.equal((await only(each)).status, expected)
  }
})

test('readers of the entry are those of the commitment', async () => {
  await using world = await openWith(reminder, { readers: ['ada'] })
  const seenBy = async (reader: string) =>
    (await pageOfCommitments(world.tenant.withReader(reader), {}, { after: null, limit: 9 })).length
  assert.deepEqual([await seenBy('ada'), await seenBy('bob')], [1, 0])
})

test('dates are resolved against the own time of the entry, and what is past does not fire', async () => {
  await using world = openUseCases(openInMemoryStore)
  await writeSettings(world.tenant, { timezone: 'America/New_York' })
  await put(world.tenant, 'notes', { content: reminder })
  world.clock.advance(2 * 60 * 60 * 1_000)
  await work(world)
  // At midnight UTC it is still the day before in New York.
  assert.equal((await only(world)).at, '2026-01-01T14:00:00.000Z')
  await put(world.tenant, 'notes', { content: 'Remind me in 5 minutes to stop.' })
  world.clock.advance(10 * 60 * 1_000)
  assert.deepEqual(await work(world), [{ inferred: 0, limited: 0 }])
})

test('a client creates, edits and cancels; a settled commitment stays', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const draft = { memoryRef: 'notes', intention: 'call Ana', at: tomorrow }
  const { view } = await createCommitment(tenant, draft, { idempotencyKey: 'k' })
  const again = await createCommitment(tenant, draft, { idempotencyKey: 'k' })
  assert.deepEqual([again.repeated, again.view.id, (await views(world)).length], [true, view.id, 1])
  const later = '2026-01-05T09:00:00.000Z'
  const edited = await editCommitment(tenant, view.id, { at: later, intention: 'call Bob' }, {})
  assert.deepEqual([edited.view.at, edited.view.intention], [later, 'call Bob'])
  world.clock.advance(2 * dayMs)
  assert.deepEqual(await work(world), [{ fired: false, reason: 'settled' }], 'the first job has no effect')
  const cancelled = await cancelCommitment(tenant, view.id, {})
  assert.equal(cancelled.view.status, 'cancelled')
  await rejectsWith('commitment_state', editCommitment(tenant, view.id, { intention: 'x' }, {}))
  await rejectsWith('commitment_state', cancelCommitment(tenant, view.id, {}))
  world.clock.advance(9 * dayMs)
  await work(world)
  assert.equal((await getCommitment(tenant, view.id)).state.status, 'cancelled')
  await rejectsWith('not_found', cancelCommitment(tenant, 'com_unknown', {}))
})

test('a draft is checked: one condition, a future within the horizon, a statement that says something', async () => {
  await using world = openUseCases(openInMemoryStore)
  const draft = { memoryRef: 'notes', intention: 'call Ana', at: tomorrow }
  const beyond = new Date(world.clock.now + limits.commitmentHorizonMs + 1).toISOString()
  for (const change of [
    { at: undefined },
    { statement: 'the invoice is paid' },
    { at: '2025-01-01T00:00:00Z' },
    { at: beyond },
    { at: undefined, statement: 'it is' },
    { at: undefined, statement: 'the invoice is not paid' },
    { intention: '' },
    { intention: 'a\nb' },
    { intention: 'x'.repeat(limits.commitmentIntentionCharactersMax + 1) },
    { workflowId: 'unknown' },
    { memoryId: 'mem_unknown' },
    { memoryRef: 'commitments:notes' },
    { memoryRef: 'r'.repeat(limits.memoryRefCharactersMax) },
  ])
    await rejectsWith('validation_error', createCommitment(world.tenant, { ...draft, ...change }, {}))
})

test('limits: sentences of an entry, commitments of a ref; inference can be switched off', async () => {
  const many = Array.from({ length: 7 }, (_, n) => `Remind me tomorrow at ${n + 10} to call.`).join(' ')
  await using world = await openWith(many)
  assert.equal((await views(world)).length, limits.commitmentsPerEntryMax)
  for (let n = limits.commitmentsPerEntryMax; n < limits.commitmentsPerRefMax; n++)
    await createCommitment(world.tenant, { memoryRef: 'notes', intention: `n${n}`, at: tomorrow }, {})
  const one = { memoryRef: 'notes', intention: 'one more', at: tomorrow }
  await rejectsWith('validation_error', createCommitment(world.tenant, one, {}))
  await put(world.tenant, 'notes', { content: reminder })
  assert.deepEqual(await work(world), [{ inferred: 0, limited: 1 }])
  await writeSettings(world.tenant, { commitmentInference: false })
  await put(world.tenant, 'other', { content: reminder })
  assert.deepEqual(await work(world), [], 'no job is stored')
  const jobs = await world.engine.storage.jobs.list({ tenantId, status: null, after: null, limit: 500 })
  assert.equal(jobs.filter((job) => job.kind === inferJobKind && isUnfinished(job)).length, 0)
})

test('many conditions look less often, so that a tenant has a bounded number of looks', async () => {
  await using world = openUseCases(openInMemoryStore)
  const count = limits.commitmentPollMs / limits.commitmentPollGapMs + 50
  for (let n = 0; n < count; n++)
    await createCommitment(world.tenant, { memoryRef: 'notes', intention: 'x', statement: `invoice n${n} is paid` }, {})
  await work(world)
  const jobs = await world.engine.storage.jobs.list({ tenantId, status: 'queued', after: null, limit: 500 })
  const last = Math.max(...jobs.map(({ dueAt }) => dueAt))
  assert.equal(last - world.clock.now, count * limits.commitmentPollGapMs)
})

test('the commitments of a tenant that wait are limited, over all refs', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  const draft = { memoryRef: 'notes', intention: 'x', at: tomorrow }
  const { view } = await createCommitment(tenant, draft, {})
  const [version] = await tenant.storage.provenance.newestVersions(tenantId, [view.id])
  const { content, tags, origin, salt, subject, expiresAt } = version ?? assert.fail()
  const others = Array.from({ length: limits.commitmentsPerTenantMax - 1 }, (_, n) => ({
    ...{ content, tags, origin, salt, subject, expiresAt },
    memoryRef: `commitments:r${n % 20}`,
    entryId: `com_${n}`,
  }))
  await tenant.commit({ kind: 'commitment.created', puts: others }, { call: { operation: 'many' } })
  await rejectsWith('validation_error', createCommitment(tenant, draft, {}))
  await cancelCommitment(tenant, view.id, {})
  await createCommitment(tenant, draft, {})
})
