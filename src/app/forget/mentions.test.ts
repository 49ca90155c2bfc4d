import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest, said } from '../../../test/support/add-request.ts'
import { newSigner } from '../../../test/support/signer.ts'
import { leaseJob, openUseCases, putChain, startRun, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { verifyReceipt } from '../../core/forget/receipt.ts'
import type { ForgetDraft } from '../../core/forget/selector.ts'
import { limits } from '../../core/limits.ts'
import type { WriteOptions } from '../commit.ts'
import { revise } from '../entries/change.ts'
import { put, putMany } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { setAliases } from '../provenance/aliases.ts'
import { verify } from '../verify/verify.ts'
import { runForget } from './forget-job.ts'
import { getForget } from './forget-record.ts'
import { forget } from './start-forget.ts'

const { signal } = new AbortController()
const signer = newSigner()
const openWithSigner = () => openUseCases(openInMemoryStore, { host: { signer } })

async function counted({ tenant }: UseCaseWorld, draft: Omit<ForgetDraft, 'reason'>) {
  const answer = await forget(tenant, { reason: 'asked for', ...draft, dryRun: true })
  assert.ok(answer.dryRun)
  return answer
}

async function started({ tenant }: UseCaseWorld, draft: Omit<ForgetDraft, 'reason'>, options: WriteOptions = {}) {
  const answer = await forget(tenant, { reason: 'asked for', ...draft }, options)
  assert.ok(!answer.dryRun)
  return answer
}

async function done(world: UseCaseWorld, draft: Omit<ForgetDraft, 'reason'>) {
  const { id, jobId } = await started(world, draft)
  await runForget(world.tenant, id, await leaseJob(world, jobId), signal)
  return getForget(world.tenant, id)
}

const contents = async ({ tenant }: UseCaseWorld, memoryRef = 'notes') =>
  (await list(tenant, memoryRef)).entries.map(({ content }) => content)

test('an unknown name matches nothing, and the dry run, the response and the receipt say so', async () => {
  await using world = openWithSigner()
  await put(world.tenant, 'notes', { content: 'Canada is large.', subject: 'bob' })
  const draft = { subject: 'ada' }
  const { matched, counts, mentions } = await counted(world, draft)
  assert.deepEqual([matched, Object.values(counts).some((count) => count > 0)], [0, false])
  assert.deepEqual(mentions, { count: 0, entries: [] })
  const { matched: seen, receipt } = await done(world, draft)
  assert.deepEqual([seen, receipt?.matched, receipt?.note], [0, 0, 'nothing matched'])
  assert.deepEqual(verifyReceipt(receipt, signer.publicKey), { ok: true, note: 'nothing matched' })
  assert.deepEqual(await contents(world), ['Canada is large.'])
  for (const other of [
    { memoryRef: 'none' },
    { tag: 'none' },
    { writer: 'none' },
    { sourceEvent: 'src_none' },
    { runId: 'run_none' },
  ])
    assert.deepEqual([(await counted(world, other)).matched, (await started(world, other)).matched], [0, 0])
})

test('matched counts only what the selector names, not what was derived from it', async () => {
  await using world = openWithSigner()
  await putMany(world.tenant, 'notes', [
    { content: 'a', subject: 'ada' },
    { content: 'b', subject: 'ada', tags: ['x'] },
    { content: 'c' },
  ])
  const caller = { actor: 'key:k1', keyId: 'k1', requestId: 'req_1' }
  await add(world.tenant, addRequest(said('I like tea.'), { subject: 'ada' }), caller)
  await putChain(world, 'quick', [{ id: 'only', typeId: 'core.noop' }])
  const { runId } = await startRun(world, { workflowId: 'quick' })
  const expected = [
    [{ subject: 'ada' }, 3],
    [{ memoryRef: 'notes' }, 3],
    [{ tag: 'x' }, 1],
    // The run, and its summary under runs:.
    [{ runId }, 2],
  ] as const
  for (const [draft, matched] of expected) assert.equal((await counted(world, draft)).matched, matched)
  const { receipt } = await done(world, { subject: 'ada' })
  assert.deepEqual([receipt?.matched, receipt?.note], [3, undefined])
})

test('a repeated request returns the counts of the first one', async () => {
  await using world = openWithSigner()
  await putMany(world.tenant, 'notes', [{ content: 'a', subject: 'ada' }, { content: 'Ada is here.' }])
  const ask = () => started(world, { subject: 'ada', mentions: 'erase' }, { idempotencyKey: 'k' })
  const first = await ask()
  const again = await ask()
  assert.deepEqual([first.matched, first.mentions?.count, first.repeated], [1, 1, false])
  assert.deepEqual([again.matched, again.mentions?.count, again.repeated, again.id], [1, 1, true, first.id])
})

async function openMentioned() {
  const world = openWithSigner()
  await put(world.tenant, 'notes', { content: 'I am Ada.', subject: 'ada' })
  const named = await put(world.tenant, 'notes', { content: 'Bob met ADA in Canada.', subject: 'bob' })
  const tagged = await put(world.tenant, 'other', { content: 'A meeting.', tags: ['ada'] })
  const once = await put(world.tenant, 'other', { content: 'Once about Ada.' })
  await revise(world.tenant, 'other', once.id, { content: 'Not any more.' })
  await put(world.tenant, 'other', { content: 'Canada.' })
  const names = [
    { memoryRef: 'notes', id: named.id },
    { memoryRef: 'other', id: tagged.id },
    { memoryRef: 'other', id: once.id },
  ]
  return { world, names }
}

test('other entries that mention the subject are listed by id and kept, unless the request erases them too', async () => {
  const { world, names } = await openMentioned()
  await using _ = world
  const { mentions, counts, matched } = await counted(world, { subject: 'ada' })
  assert.deepEqual([mentions, counts.entries, matched], [{ count: 3, entries: names }, 1, 1])
  assert.equal((await counted(world, { subject: 'ada', mentions: 'erase' })).counts.entries, 4)
  assert.equal((await started(world, { subject: 'somebody', mentions: 'list' })).mentions?.count, 0)
  await done(world, { subject: 'ada' })
  assert.deepEqual(await contents(world), ['Bob met ADA in Canada.'])
})

test('with mentions erase, the mentions are hidden by the request and erased with the subject', async () => {
  const { world } = await openMentioned()
  await using _ = world
  const expected = (await counted(world, { subject: 'ada', mentions: 'erase' })).counts
  const { id, jobId, mentions } = await started(world, { subject: 'ada', mentions: 'erase' })
  assert.deepEqual([await contents(world), await contents(world, 'other')], [[], ['Canada.']])
  assert.equal(mentions?.count, 3)
  await runForget(world.tenant, id, await leaseJob(world, jobId), signal)
  const { counts, receipt, matched } = await getForget(world.tenant, id)
  assert.deepEqual([counts, matched, receipt?.mentions], [expected, 1, 3])
  assert.ok(!JSON.stringify(receipt).toLowerCase().includes('"ada'))
  const left = await world.tenant.storage.scanVersions({ tenantId: world.tenant.id, after: null, limit: 100 })
  assert.deepEqual(
    left.map(({ content }) => content),
    ['Canada.'],
  )
  assert.equal((await verify(world.tenant, { contents: true })).ok, true)
})

test('an entry that has a declared alias of the subject is a mention, and the aliases are erased with the subject', async () => {
  await using world = openWithSigner()
  const { tenant } = world
  await setAliases(tenant, 'user_77', ['Roberta Quill', 'Bobbie'])
  const named = await put(tenant, 'notes', { content: 'Ada met bobbie.' })
  const tagged = await put(tenant, 'notes', { content: 'A meeting.', tags: ['roberta quill'] })
  await put(tenant, 'notes', { content: 'Roberta and Quill are two people.' })
  const { mentions, counts } = await counted(world, { subject: 'user_77' })
  assert.deepEqual(
    mentions?.entries.map(({ id }) => id),
    [named.id, tagged.id],
  )
  assert.deepEqual([mentions?.count, counts.entries], [2, 1])
  const { receipt } = await done(world, { subject: 'user_77', mentions: 'erase' })
  assert.deepEqual([receipt?.mentions, receipt?.erased.entries], [2, 3])
  const left = await tenant.storage.scanVersions({ tenantId: tenant.id, after: null, limit: 100 })
  assert.deepEqual(
    left.map(({ content }) => content),
    ['Roberta and Quill are two people.'],
  )
})

test('an entry in a ref that has the name is a mention, whatever it says', async () => {
  await using world = openWithSigner()
  const { tenant } = world
  const inRef = await put(tenant, 'customers/Ada/notes', { content: 'Prefers tea.' })
  await put(tenant, 'customers/Canada', { content: 'Prefers coffee.' })
  const { mentions } = await counted(world, { subject: 'ada' })
  assert.deepEqual(mentions, { count: 1, entries: [{ memoryRef: 'customers/Ada/notes', id: inRef.id }] })
  await done(world, { subject: 'ada', mentions: 'erase' })
  assert.deepEqual([await contents(world, 'customers/Ada/notes'), await contents(world, 'customers/Canada')].flat(), [
    'Prefers coffee.',
  ])
})

test('an entry that is erased because it derives from forgotten ones is not a mention', async () => {
  await using world = openWithSigner()
  await put(world.tenant, 'notes', { content: 'I am Ada.', subject: 'ada' })
  await putChain(world, 'copies', [
    { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } },
    { id: 'write', typeId: 'colophon.memory.put', config: { memoryRef: 'copies', content: 'Ada was read.' } },
  ])
  await startRun(world, { workflowId: 'copies' })
  assert.equal((await counted(world, { subject: 'ada' })).mentions?.count, 0)
  const alone = await counted(world, { subject: 'ada', cascade: false })
  assert.equal(alone.mentions?.entries[0]?.memoryRef, 'copies')
})

test('the list of mentions is limited, the count is complete, and erasing too many is refused', async () => {
  await using world = openWithSigner()
  const drafts = Array.from({ length: limits.forgetMentionsErasedMax }, () => ({ content: 'Ada again.' }))
  await putMany(world.tenant, 'notes', drafts)
  const { mentions } = await counted(world, { subject: 'ada' })
  assert.deepEqual([mentions?.count, mentions?.entries.length], [drafts.length, limits.forgetMentionsShownMax])
  await put(world.tenant, 'notes', { content: 'Ada once more.' })
  await rejectsWith('validation_error', started(world, { subject: 'ada', mentions: 'erase' }))
  assert.equal((await contents(world)).length, limits.pageEntriesDefault, 'and nothing was hidden')
  for (const draft of [{ tag: 'x' }, { memoryRef: 'notes' }])
    await rejectsWith('validation_error', counted(world, { ...draft, mentions: 'list' }))
})
