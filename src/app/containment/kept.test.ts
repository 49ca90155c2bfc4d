import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Database from 'better-sqlite3'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { addRequest } from '../../../test/support/add-request.ts'
import { exportText } from '../../../test/support/export-text.ts'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { leaseJob, openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { openSqlite } from '../../adapters/sqlite/open.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { dayMs } from '../../core/retention.ts'
import { parseExportPart } from '../../wires/host/parse-export-part.ts'
import { revise } from '../entries/change.ts'
import { put } from '../entries/put.ts'
import { list } from '../entries/read.ts'
import { importPart } from '../portable/import.ts'
import { add } from '../provenance/add.ts'
import { patchMemory } from '../provenance/change-memory.ts'
import { listClaims } from '../provenance/claims.ts'
import { listMemories } from '../provenance/find-memories.ts'
import { ingest } from '../provenance/ingest.ts'
import { writeSettings } from '../redaction/rules.ts'
import { pruneHistory } from '../retention/prune-history.ts'
import { Affected } from './affected.ts'
import { contain } from './contain.ts'
import { release } from './release.ts'

const { signal } = new AbortController()
const folder = createFolder()
after(() => folder.remove())
const thief = { actor: 'key:thief' }
const owner = { actor: 'key:owner' }

async function contained({ tenant }: UseCaseWorld, draft: Parameters<typeof contain>[1]): Promise<string> {
  const result = await contain(tenant, draft)
  assert.ok(!result.dryRun)
  return result.containment.id
}

async function state(world: UseCaseWorld, content: string, actor: string): Promise<void> {
  const messages = [{ role: 'user' as const, content, claimKey: 'home' }]
  const { event } = await add(world.tenant, addRequest(messages, { infer: false }), {
    actor,
    keyId: actor.slice('key:'.length),
    requestId: 'req_1',
  })
  world.clock.advance(1_000)
  await ingest(world.tenant, event.sourceEventId, await leaseJob(world, event.jobId), signal)
}

async function winners(tenant: UseCaseWorld['tenant']): Promise<string[]> {
  return (await listMemories(tenant, { subject: 'ada' })).memories.map(({ content }) => content)
}

test('history that a release needs is kept while the containment is active, and pruned afterwards', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant, clock } = world
  await writeSettings(tenant, { historyRetentionDays: 1 })
  const revised = await put(tenant, 'notes', { content: 'Owner.' }, owner)
  await put(tenant, 'notes', { content: 'Stolen.' }, thief)
  await revise(tenant, 'notes', revised.id, { content: 'Changed.' }, thief)
  const contents = async () => (await list(tenant, 'notes')).entries.map(({ content }) => content).sort()
  const before = await contents()
  const id = await contained(world, { key: 'thief' })
  clock.advance(30 * dayMs)
  assert.equal((await pruneHistory(tenant, { signal })).versions, 0)
  assert.deepEqual(await contents(), ['Owner.'])
  await release(tenant, id)
  assert.deepEqual(await contents(), before)
  clock.advance(30 * dayMs)
  assert.ok((await pruneHistory(tenant, { signal })).versions > 0)
  assert.deepEqual(await contents(), before)
  assert.ok((await tenant.verify({ contents: true })).ok)
})

test('a write that comes between the search and the commit is contained too, if it came from the source', async () => {
  let between: (() => Promise<unknown>) | null = null
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    return {
      ...storage,
      async commit(batch) {
        const first = batch.kind === 'containment.applied' ? between : null
        if (first !== null) between = null
        await first?.()
        return storage.commit(batch)
      },
    }
  })
  const { tenant } = world
  await put(tenant, 'notes', { content: 'Stolen.' }, thief)
  for (const [actor, left] of [
    [thief, 0],
    [owner, 1],
  ] as const) {
    between = () => put(tenant, 'notes', { content: 'Between.' }, actor)
    const id = await contained(world, { key: 'thief' })
    assert.equal((await list(tenant, 'notes')).entries.length, left)
    await release(tenant, id)
  }
  assert.ok((await tenant.verify({ contents: true })).ok)
})

test('an export has the marks, and the importing tenant keeps what is contained out of its claims', async () => {
  await using world = openUseCases(openInMemoryStore)
  await state(world, 'Lisbon', 'key:owner')
  await state(world, 'Porto', 'key:thief')
  await contained(world, { key: 'thief' })
  assert.deepEqual(await winners(world.tenant), ['Lisbon'])
  const file = await parseExportPart(await exportText(world.tenant))
  const other = world.engine.tenant('globex')
  await importPart(other, file, { merge: false, actor: 'test' })
  const [claim] = await listClaims(other, { subject: 'ada', isContested: null, after: null, limit: 10 })
  assert.deepEqual(
    claim?.contents.map(({ content, status }) => [content, status]),
    [['Lisbon', 'active']],
  )
  assert.ok((await other.verify({ contents: true })).ok)
})

test('verify finds a mark that no commit made, and one that was removed', async () => {
  const path = folder.file('forged.db')
  await using world = openUseCases((options) => openSqlite({ ...options, path }))
  await state(world, 'Lisbon', 'key:owner')
  await state(world, 'Porto', 'key:thief')
  await contained(world, { key: 'thief' })
  assert.ok((await world.tenant.verify({ contents: true })).ok)
  const forge = async (sql: string) => {
    const file = new Database(path)
    try {
      const stored = file.prepare('select ordinal, contained_by, withdrawal_contained_by from assertion').all()
      file.exec(sql)
      const verdict = await world.tenant.verify({ contents: true })
      const undo = file.prepare('update assertion set contained_by = ?, withdrawal_contained_by = ? where ordinal = ?')
      for (const row of stored as { ordinal: number; contained_by: string; withdrawal_contained_by: string }[])
        undo.run(row.contained_by, row.withdrawal_contained_by, row.ordinal)
      return verdict.ok
    } finally {
      file.close()
    }
  }
  assert.equal(await forge('update assertion set contained_by = null'), false)
  assert.equal(await forge(`update assertion set contained_by = '["ctn_x"]' where ordinal = 0`), false)
  assert.equal(await forge(`update assertion set withdrawal_contained_by = '["ctn_x"]' where ordinal = 0`), false)
  assert.ok((await world.tenant.verify({ contents: true })).ok)
})

test('a key that changed only the importance of a memory is undone, and the memory stays', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  await state(world, 'Lisbon', 'key:owner')
  const [memory] = (await listMemories(tenant, { subject: 'ada' })).memories
  const editor = { actor: 'key:thief', requestId: 'req_2', mayPin: false }
  await patchMemory(tenant, memory?.id ?? '', { importance: 9 }, editor)
  const importance = async () => (await listMemories(tenant, { subject: 'ada' })).memories.map((one) => one.importance)
  const id = await contained(world, { key: 'thief' })
  assert.deepEqual(await importance(), [memory?.importance])
  await release(tenant, id)
  assert.deepEqual(await importance(), [9])
})

test('an agent and a run are contained by what they wrote, also outside of this host', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  await put(tenant, 'notes', { content: 'Run.' }, { ...owner, run: { runId: 'run_elsewhere', sequence: 3 } })
  await put(tenant, 'notes', { content: 'Owner.' }, owner)
  const id = await contained(world, { run: 'run_elsewhere' })
  assert.deepEqual(
    (await list(tenant, 'notes')).entries.map(({ content }) => content),
    ['Owner.'],
  )
  await release(tenant, id)
  assert.equal((await list(tenant, 'notes')).entries.length, 2)
})

test('a containment that is too large is refused with its limit', () => {
  const affected = new Affected({ kind: 'key', value: 'thief' }, 0)
  for (let n = 0; n < limits.containmentEntriesMax; n++) affected.noteEnd(`mem_${n}`, 1)
  assert.throws(
    () => affected.noteEnd('mem_more', 1),
    (error) => isColophonError(error, 'containment_too_large') && error.details?.limit === 'containmentEntriesMax',
  )
})

test('a request names exactly one source, by its id', async () => {
  await using world = openUseCases(openInMemoryStore)
  const { tenant } = world
  for (const draft of [{}, { key: 'a', run: 'b' }, { key: 'ck_1.acme.secret' }, { key: 'a', since: 'yesterday' }])
    await rejectsWith('validation_error', contain(tenant, draft))
})
