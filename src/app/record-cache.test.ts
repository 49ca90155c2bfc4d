import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, tenantId } from '../../test/support/use-cases.ts'
import { openInMemoryStore } from '../adapters/in-memory/open.ts'
import type { AdminRecord } from '../core/admin.ts'
import type { Storage } from '../ports/storage.ts'
import { createWriter } from './provenance/writers.ts'
import { cacheRecords } from './record-cache.ts'

const limit = 100

/** A use-case world whose reads of records are counted, and wait for `gate` once they have their value. */
function openCounted(sharedAcrossProcesses = false) {
  const reads: string[] = []
  const gate = { opens: Promise.resolve() }
  const after = async <T>(name: string, value: Promise<T>): Promise<T> => {
    reads.push(name)
    const read = await value
    await gate.opens
    return read
  }
  const world = openUseCases((options) => {
    const store = openInMemoryStore(options)
    const counted: Storage = {
      ...store,
      traits: { ...store.traits, sharedAcrossProcesses },
      record: (...query) => after(`${query[1]}:${query[2]}`, store.record(...query)),
      records: (query) => after(`${query.kind}s`, store.records(query)),
    }
    return counted
  })
  return { world, reads, gate }
}

const idsOf = (records: readonly AdminRecord[]) => records.map(({ id }) => id)

test('a record and a list of records are read once, until a commit of the tenant changes records', async () => {
  const { world, reads } = openCounted()
  await using engine = world
  const { storage } = engine.engine
  const readBoth = async () => ({
    crm: (await storage.record(tenantId, 'writer', 'crm'))?.id,
    all: idsOf(await storage.records({ tenantId, kind: 'writer', after: null, limit })),
  })
  await engine.tenant.put('agents/concierge', { content: 'Ada prefers tea.' })
  reads.length = 0
  for (let n = 0; n < 3; n++) assert.deepEqual(await readBoth(), { crm: undefined, all: [] })
  assert.deepEqual(reads, ['writer:crm', 'writers'])
  await createWriter(engine.tenant, { serviceKey: 'crm' })
  assert.deepEqual(await readBoth(), { crm: 'crm', all: ['crm'] })
  reads.length = 0
  await engine.tenant.put('agents/concierge', { content: 'Ada prefers green tea.' })
  await readBoth()
  assert.deepEqual(reads, [], 'a commit without records drops nothing')
})

test('other kinds, later pages, and records that other processes can change are read each time', async () => {
  for (const isShared of [false, true]) {
    const { world, reads } = openCounted(isShared)
    await using engine = world
    const { storage } = engine.engine
    reads.length = 0
    for (let n = 0; n < 2; n++) {
      await storage.record(tenantId, 'secret', 's')
      await storage.records({ tenantId, kind: 'writer', after: 'crm', limit })
      if (isShared) await storage.record(tenantId, 'writer', 'crm')
    }
    const each = ['secret:s', 'writers', ...(isShared ? ['writer:crm'] : [])]
    assert.deepEqual(reads, [...each, ...each])
  }
})

test('a read that began before a change is not kept', async () => {
  const { world, gate } = openCounted()
  await using engine = world
  const { storage } = engine.engine
  await engine.tenant.put('agents/concierge', { content: 'Ada prefers tea.' })
  const { promise, resolve: open } = Promise.withResolvers<void>()
  const opened = gate.opens
  gate.opens = promise
  const early = storage.record(tenantId, 'writer', 'crm')
  gate.opens = opened
  await createWriter(engine.tenant, { serviceKey: 'crm' })
  open()
  assert.equal(await early, null)
  assert.equal((await storage.record(tenantId, 'writer', 'crm'))?.id, 'crm')
})

test('a commit that fails drops the records of its tenant too: its outcome can be unknown', async () => {
  const store = openInMemoryStore({ now: () => 0 })
  let reads = 0
  const failing: Storage = {
    ...store,
    record: (...query) => {
      reads += 1
      return store.record(...query)
    },
    commit: () => Promise.reject(new Error('The connection was lost.')),
  }
  const storage = cacheRecords(failing)
  const batch = { tenantId, admin: [{}] } as unknown as Parameters<Storage['commit']>[0]
  for (let n = 0; n < 2; n++) await storage.record(tenantId, 'settings', 'tenant')
  assert.equal(reads, 1)
  await assert.rejects(storage.commit(batch))
  await storage.record(tenantId, 'settings', 'tenant')
  assert.equal(reads, 2)
  await store.close()
})
