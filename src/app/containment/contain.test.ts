import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { driveFamily, putLoop } from '../../../test/support/loops.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases, putChain, startRun, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { defaultWorkspace } from '../../core/workspace/workspace-file.ts'
import { removeEntry, revise } from '../entries/change.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { add } from '../provenance/add.ts'
import { deleteMemory, patchMemory } from '../provenance/change-memory.ts'
import { listClaims, pinClaim } from '../provenance/claims.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { ingest } from '../provenance/ingest.ts'
import { createWriter } from '../provenance/writers.ts'
import { createRun } from '../runs/create-run.ts'
import { listFiles, putFile } from '../workspace/files.ts'
import { contain } from './contain.ts'
import { release } from './release.ts'

const { signal } = new AbortController()
const folder = createFolder()
after(() => folder.remove())
let files = 0
const stores = {
  model: openInMemoryStore,
  sqlite: (options: { now: () => number }) => openSqlite({ ...options, path: folder.file(`${++files}.db`) }),
}
const thief = { actor: 'key:thief' }
const owner = { actor: 'key:owner' }
const caller = (keyId: string) => ({ actor: `key:${keyId}`, keyId, requestId: 'req_1' })
const editor = (keyId: string) => ({ actor: `key:${keyId}`, requestId: 'req_2', mayPin: true })

async function contents({ tenant }: UseCaseWorld, ref: string): Promise<string[]> {
  return (await list(tenant, ref)).entries.map(({ content }) => content).sort()
}

async function memories({ tenant }: UseCaseWorld, includeSuperseded = false): Promise<string[]> {
  const found = await listMemories(tenant, { subject: 'ada', includeSuperseded })
  return found.memories.map(({ content, status }) => `${content} ${status}`).sort()
}

/** States a content as a service or a key, and ingests it. */
async function tell(world: UseCaseWorld, content: string, more: { key?: string; service?: string; claimKey?: string }) {
  const { event } = await send(world, content, more)
  world.clock.advance(1_000)
  await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
  const { memories: all } = await listMemories(world.tenant, { subject: 'ada', includeSuperseded: true })
  return { id: all.find((memory) => memory.content === content)?.id ?? '', event }
}

function send(
  { tenant }: UseCaseWorld,
  content: string,
  { key = 'owner', service, claimKey }: { key?: string; service?: string; claimKey?: string },
) {
  const messages = [{ role: 'user' as const, content, ...(claimKey === undefined ? {} : { claimKey }) }]
  const source = service === undefined ? {} : { source: { service, eventId: content } }
  return add(tenant, addRequest(messages, { infer: false, ...source }), caller(key))
}

async function applied(world: UseCaseWorld, draft: Parameters<typeof contain>[1]) {
  const preview = await contain(world.tenant, { ...draft, dryRun: true })
  const result = await contain(world.tenant, draft)
  assert.ok(preview.dryRun && !result.dryRun)
  assert.deepEqual(preview.part, result.part, 'a dry run lists exactly the same')
  await verified(world)
  return { ...result.part, id: result.containment.id, view: result.containment }
}

async function verified({ tenant }: UseCaseWorld) {
  const verdict = await tenant.verify({ contents: true })
  assert.ok(verdict.ok, JSON.stringify(verdict))
}

for (const [name, open] of Object.entries(stores)) {
  test(`${name}: what a key put, revised and deleted is undone, and done again by the release`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    const kept = await put(tenant, 'notes', { content: 'Tea at four.' }, owner)
    const revised = await put(tenant, 'notes', { content: 'Call Bob.' }, owner)
    const deleted = await put(tenant, 'notes', { content: 'Door code 12.' }, owner)
    const foreign = await put(tenant, 'notes', { content: 'Send money.' }, thief)
    await revise(tenant, 'notes', revised.id, { content: 'Call Mallory.' }, thief)
    await removeEntry(tenant, 'notes', deleted.id, thief)
    const before = await contents(world, 'notes')
    const { entries, id, view } = await applied(world, { key: 'thief' })
    assert.deepEqual(await contents(world, 'notes'), ['Call Bob.', 'Door code 12.', 'Tea at four.'])
    assert.deepEqual(
      entries.map((entry) => [entry.id, entry.versions, entry.effect]),
      [
        [revised.id, [2], 'restored'],
        [deleted.id, [], 'restored'],
        [foreign.id, [1], 'contained'],
      ],
    )
    assert.deepEqual([view.status, view.counts.entries, view.counts.versions], ['applied', 3, 2])
    assert.deepEqual((await list(tenant, 'notes', { asOf: view.position - 1 })).entries.length, 3)
    await put(tenant, 'notes', { content: 'Later.' }, owner)
    await revise(tenant, 'notes', kept.id, { content: 'Tea at five.' }, owner)
    await release(tenant, id)
    assert.deepEqual(
      await contents(world, 'notes'),
      [...before.filter((content) => content !== 'Tea at four.'), 'Later.', 'Tea at five.'].sort(),
    )
    await verified(world)
    await rejectsWith('containment_state', release(tenant, id))
  })

  test(`${name}: since an instant or a position, only what came afterwards is contained`, async () => {
    await using world = openUseCases(open)
    const { tenant, clock } = world
    const entry = await put(tenant, 'notes', { content: 'Before.' }, thief)
    await put(tenant, 'notes', { content: 'Also before.' }, thief)
    const { position } = await tenant.snapshot()
    clock.advance(60_000)
    const since = new Date(clock.now).toISOString()
    await revise(tenant, 'notes', entry.id, { content: 'Since.' }, thief)
    for (const from of [since, position + 1, String(position + 1)]) {
      const { id } = await applied(world, { key: 'thief', since: from })
      assert.deepEqual(await contents(world, 'notes'), ['Also before.', 'Before.'])
      await release(tenant, id)
      assert.deepEqual(await contents(world, 'notes'), ['Also before.', 'Since.'])
    }
  })

  test(`${name}: claims are decided as if a writer had not spoken`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await createWriter(tenant, { serviceKey: 'crm' })
    await createWriter(tenant, { serviceKey: 'bot' })
    const crm = await tell(world, 'Lisbon', { service: 'crm', claimKey: 'home' })
    const bot = await tell(world, 'Porto', { service: 'bot', claimKey: 'home' })
    await tell(world, 'Likes tea', { service: 'bot' })
    assert.deepEqual(await memories(world, true), ['Likes tea active', 'Lisbon superseded', 'Porto active'])
    const { claims, id, view } = await applied(world, { writer: 'bot' })
    assert.deepEqual(await memories(world, true), ['Lisbon active'])
    assert.ok(claims.some(({ before, after: winner }) => before === bot.id && winner === crm.id))
    assert.deepEqual([view.counts.sourceEvents, view.counts.assertions, view.counts.claims], [2, 2, 2])
    // Stated again by another source while it is contained: current, under the same id.
    await tell(world, 'likes tea.', { service: 'crm' })
    await tell(world, 'Faro', { service: 'crm', claimKey: 'home' })
    assert.deepEqual(await memories(world), ['Faro active', 'likes tea. active'])
    await release(tenant, id)
    assert.deepEqual(await memories(world), ['Faro active', 'Likes tea active', 'likes tea. active'])
    await verified(world)
  })

  test(`${name}: an edit, a deletion and a pin by the key are undone`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await createWriter(tenant, { serviceKey: 'crm' })
    const tea = await tell(world, 'Likes tea', { service: 'crm' })
    const cats = await tell(world, 'Has cats', { service: 'crm' })
    const lisbon = await tell(world, 'Lisbon', { service: 'crm', claimKey: 'home' })
    const porto = await tell(world, 'Porto', { service: 'crm', claimKey: 'home' })
    const before = await memories(world, true)
    world.clock.advance(60_000)
    await patchMemory(tenant, tea.id, { content: 'Likes poison' }, editor('thief'))
    await deleteMemory(tenant, cats.id, {}, thief)
    const [claim] = (await listClaims(tenant, { subject: 'ada', isContested: null, after: null, limit: 9 })).filter(
      ({ claimKey }) => claimKey === 'home',
    )
    await pinClaim(tenant, claim?.id ?? '', { memoryId: lisbon.id, reason: 'mine' }, thief)
    const during = await memories(world, true)
    assert.deepEqual(during, ['Likes poison active', 'Lisbon active', 'Porto superseded'])
    const { id, claims } = await applied(world, { key: 'thief' })
    assert.deepEqual(await memories(world, true), before)
    assert.ok(claims.some((row) => row.before === lisbon.id && row.after === porto.id))
    await release(tenant, id)
    assert.deepEqual(await memories(world, true), during)
    await verified(world)
  })

  test(`${name}: what a run wrote after it read contained entries is contained with it`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await put(tenant, 'notes', { content: 'Owner.' }, owner)
    const copy = (id: string, from: string, to: string) =>
      putChain(world, id, [
        { id: 'early', typeId: 'colophon.memory.put', config: { memoryRef: to, content: `early ${id}` } },
        { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: from, into: 'found' } },
        { id: 'late', typeId: 'colophon.memory.put', config: { memoryRef: to, content: `late ${id}` } },
      ])
    await copy('first', 'notes', 'first')
    await copy('second', 'first', 'second')
    await startRun(world, { workflowId: 'first' })
    await put(tenant, 'notes', { content: 'Stolen.' }, thief)
    const first = await startRun(world, { workflowId: 'first' })
    const second = await startRun(world, { workflowId: 'second' })
    const { runs, id } = await applied(world, { key: 'thief' })
    assert.deepEqual(
      runs.map((run) => [run.id, run.isActive, run.read, run.wrote.length]),
      [
        [first.runId, false, 1, 2],
        [second.runId, false, 1, 2],
      ],
    )
    assert.deepEqual(await contents(world, 'first'), ['early first', 'early first', 'late first'])
    assert.deepEqual(await contents(world, 'second'), ['early second'])
    await release(tenant, id)
    assert.equal((await contents(world, 'first')).length, 4)
    assert.equal((await contents(world, 'second')).length, 2)
    await verified(world)
  })

  test(`${name}: what a later worker wrote from what an earlier one read is contained; what came before is not`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await put(tenant, 'notes', { content: 'Stolen.' }, thief)
    const array = (variable: string) => ({ variables: [{ name: variable, type: 'array' }] })
    const write = (to: string, content: string) => ({
      id: 'write',
      typeId: 'colophon.memory.put',
      config: { memoryRef: to, content },
    })
    await putChain(world, 'before', [write('before', 'Harmless.')])
    const read = { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'seen' } }
    await putChain(world, 'reads', [read], array('seen'))
    await putChain(world, 'copies', [write('copies', 'Copy: {{inputs.text.0.content}}')], array('text'))
    const onTurn = (turn: number, ...nextWorkerIds: string[]) => ({
      when: [{ type: 'equals', left: 'output.turn', right: turn }],
      decide: { kind: 'next-worker', nextWorkerIds },
    })
    const rules = [onTurn(1, 'before', 'reads', 'copies'), onTurn(2, 'copies'), { decide: { kind: 'terminate' } }]
    const mappings = { perWorkerOutputMappings: { reads: { text: 'seen' } }, inputMapping: { text: 'text' } }
    await putLoop(world, 'loop', { rules }, mappings, array('text'))
    const run = await driveFamily(world, (await createRun(tenant, { workflowId: 'loop' })).run)
    assert.equal(run.status, 'completed', JSON.stringify(run.text.error))
    assert.deepEqual(await contents(world, 'copies'), ['Copy: Stolen.', 'Copy: Stolen.'])
    await applied(world, { key: 'thief' })
    assert.deepEqual(await contents(world, 'copies'), [])
    assert.deepEqual(await contents(world, 'before'), ['Harmless.'])
  })

  test(`${name}: files that a run wrote after it read contained entries are contained with it`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await put(tenant, 'notes', { content: 'Stolen.' }, thief)
    await putFile(tenant, defaultWorkspace, 'plan.md', { content: 'Of the owner.' }, owner)
    const write = (id: string, path: string) => ({
      id,
      typeId: 'colophon.workspace.put',
      config: { path, content: `Copy by ${id}.` },
    })
    await putChain(world, 'copies', [
      write('early', 'early.md'),
      { id: 'read', typeId: 'colophon.memory.list', config: { memoryRef: 'notes', into: 'found' } },
      write('late', 'late.md'),
      write('later', 'plan.md'),
    ])
    assert.equal((await startRun(world, { workflowId: 'copies' })).status, 'completed')
    const files = async () =>
      (await listFiles(tenant, defaultWorkspace)).map(({ path, content }) => `${path} ${content}`)
    const before = await files()
    const { id } = await applied(world, { key: 'thief' })
    assert.deepEqual(await files(), ['early.md Copy by early.', 'plan.md Of the owner.'])
    await release(tenant, id)
    assert.deepEqual(await files(), before)
    await verified(world)
  })

  test(`${name}: a source event that waits for its ingestion when it is contained is ingested as contained`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    const { event } = await send(world, 'Late', { key: 'thief', claimKey: 'x' })
    const { id } = await applied(world, { key: 'thief' })
    await ingest(tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
    assert.deepEqual(await memories(world, true), [])
    await verified(world)
    await release(tenant, id)
    assert.deepEqual(await memories(world), ['Late active'])
    await verified(world)
  })

  test(`${name}: of two containments, releasing one leaves what the other covers`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    const entry = await put(tenant, 'notes', { content: 'A' }, owner)
    await revise(tenant, 'notes', entry.id, { content: 'B' }, { actor: 'key:k1' })
    await revise(tenant, 'notes', entry.id, { content: 'C' }, { actor: 'key:k2' })
    const now = () => contents(world, 'notes')
    const one = await applied(world, { key: 'k1' })
    assert.deepEqual(await now(), ['C'])
    const two = await applied(world, { key: 'k2' })
    assert.deepEqual(await now(), ['A'])
    await release(tenant, one.id)
    assert.deepEqual(await now(), ['B'])
    await release(tenant, two.id)
    assert.deepEqual(await now(), ['C'])
    await verified(world)
  })

  test(`${name}: a retry with the idempotency key returns the first containment`, async () => {
    await using world = openUseCases(open)
    const { tenant } = world
    await put(tenant, 'notes', { content: 'Stolen.' }, thief)
    const options = { idempotencyKey: 'once' }
    const first = await contain(tenant, { key: 'thief' }, options)
    const again = await contain(tenant, { key: 'thief' }, options)
    assert.ok(!first.dryRun && !again.dryRun)
    assert.deepEqual([first.repeated, again.repeated], [false, true])
    assert.deepEqual([again.containment, again.part], [first.containment, first.part])
  })
}
