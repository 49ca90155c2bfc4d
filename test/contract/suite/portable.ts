import assert from 'node:assert/strict'
import { currentView } from '../../../src/core/entries/as-of.ts'
import type { ImportedRows, ImportedVersion } from '../../../src/core/portable/imported-rows.ts'
import { rejectsWith } from './assert-code.ts'
import { batchOf, testMacKey } from './batch.ts'
import { find, whileIndexing } from './search-calls.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const memoryRef = 'log'
const everything = { memoryRef: null, subject: null, about: null }

/** Reading one snapshot in pages, and importing rows with their history. */
export function portableContract(test: ContractTest): void {
  test('a snapshot shows one moment, whatever is written, ended or erased afterwards', async (world) => {
    const memory = world.colophon.memory(tenantId)
    const kept = await memory.put(memoryRef, { content: 'Kept.' })
    const gone = await memory.put(memoryRef, { content: 'Gone.', subject: 'ada' })
    const snapshot = await world.storage.snapshot(tenantId)
    await memory.delete(memoryRef, kept.id)
    await memory.put(memoryRef, { content: 'Later.' })
    const erasures = [{ memoryRef, entryId: gone.id, version: 1 }]
    await world.storage.commit(batchOf({ tenantId, kind: 'memory.erased', erasures }))
    assert.equal((await snapshot.clock(tenantId))?.position, 2)
    const rows = await snapshot.scanVersions({ tenantId, after: null, limit: 10 })
    assert.deepEqual(rows.map(({ content }) => content).sort(), ['Gone.', 'Kept.'])
    assert.ok(rows.every(({ endedPosition }) => endedPosition === null))
    assert.equal((await snapshot.counts(tenantId, everything)).versions, 2)
    assert.equal((await snapshot.counts(tenantId, { ...everything, subject: 'ada' })).versions, 1)
    assert.equal((await snapshot.counts(tenantId, { ...everything, memoryRef: 'other' })).versions, 0)
    assert.equal((await snapshot.audit({ tenantId, from: 1, to: 9, limit: 10 })).length, 2)
    assert.deepEqual(await snapshot.sourceEvents({ tenantId, about: null, after: null, limit: 10 }), [])
    assert.equal(await snapshot.clock('other'), null)
    await snapshot.close()
  })

  test('imported rows keep their positions, instants and ends', async (world) => {
    await prepare(world)
    await world.storage.commit(
      batchOf({ tenantId, kind: 'memory.imported', imported: importedOf({ positions: [1, 2, 3] }) }),
    )
    assert.equal((await world.storage.clock(tenantId))?.position, 3)
    const versions = [versionOf('mem_a', 1, 3), versionOf('mem_b', 2, null)]
    await world.storage.commit(batchOf({ tenantId, kind: 'memory.imported', imported: importedOf({ versions }) }))
    const at = async (position: number | null) => {
      const query = {
        tenantId,
        memoryRef,
        tag: 'a',
        view: { ...currentView, position },
        now: 0,
        before: null,
        limit: 9,
      }
      return (await world.storage.list(query)).versions.map(({ entryId }) => entryId)
    }
    assert.deepEqual(await at(1), ['mem_a'])
    assert.deepEqual(await at(2), ['mem_b', 'mem_a'])
    assert.deepEqual(await at(null), ['mem_b'])
    assert.deepEqual(
      await Promise.all([99, 1_000, 1_999].map((at) => world.storage.positionAt(tenantId, at))),
      [0, 1, 1],
    )
    const [row] = await world.storage.versions(tenantId, [{ memoryRef, entryId: 'mem_a', version: 1 }])
    assert.deepEqual([row?.recordedPosition, row?.digestPosition, row?.endedReason], [1, 4, 'deleted'])
    const verdict = await world.colophon.memory(tenantId).verify({ contents: true })
    assert.deepEqual([verdict.ok, verdict.to], [true, 4])
  })

  test('imported positions are dense and begin after the newest position of the tenant', async (world) => {
    await prepare(world)
    for (const positions of [
      [2, 3],
      [1, 3],
    ]) {
      const batch = batchOf({ tenantId, kind: 'memory.imported', imported: importedOf({ positions }) })
      await rejectsWith('import_interrupted', world.storage.commit(batch))
    }
    assert.equal((await world.storage.clock(tenantId))?.position, 0)
  })

  test('a search as of a position inside an import finds and counts what was recorded by then', async (world) => {
    const { storage } = world
    await importOutOfOrder(world)
    await world.colophon.memory(tenantId).put(memoryRef, { content: 'This is later.' })
    await whileIndexing(storage, async () => {
      const seen = []
      for (let position = 1; position <= 9; position++) {
        const { entries, frequencies, rows } = await find(storage, 'mem', { memoryRef, position, now: 0 })
        seen.push([entries, ...frequencies, ...rows.map(({ version }) => version.entryId.slice(-1)).sort()].join(' '))
      }
      const after = ['3 3 b c d', '4 4 a b c d', '4 4 a c d', '4 4 a c d', '4 4 a c d']
      assert.deepEqual(seen, ['1 1 b', '2 2 b d', ...after, '5 4 a c d', '5 4 a c d'])
    }, [memoryRef])
  })

  test('two batches of one import can hold rows of the same position', async (world) => {
    await prepare(world)
    await world.storage.commit(batchOf({ tenantId, kind: 'memory.imported', imported: importedOf({ positions: [1] }) }))
    for (const [ordinal, id] of ['mem_a', 'mem_b'].entries()) {
      const versions = [{ ...versionOf(id, 1, null), ordinal }]
      const imported = importedOf({ versions, firstLine: 2 + ordinal })
      await world.storage.commit(batchOf({ tenantId, kind: 'memory.imported', imported }))
    }
    assert.equal((await world.storage.scanVersions({ tenantId, after: null, limit: 9 })).length, 2)
  })
}

/** In the order of a file, which is that of ids. */
async function importOutOfOrder(world: World): Promise<void> {
  await prepare(world)
  const commit = (rows: Rows) =>
    world.storage.commit(batchOf({ tenantId, kind: 'memory.imported', imported: importedOf(rows) }))
  await commit({ positions: [1, 2, 3, 4, 5] })
  await commit({ versions: [versionOf('mem_a', 4, null), versionOf('mem_b', 1, 5)], firstLine: 6 })
  await commit({ versions: [versionOf('mem_c', 3, null), versionOf('mem_d', 2, null)], firstLine: 8 })
}

async function prepare({ storage, clock }: World): Promise<void> {
  await storage.ensureTenant(tenantId, { macKey: testMacKey }, clock.now)
}

type Rows = { positions?: readonly number[]; versions?: readonly ImportedVersion[]; firstLine?: number }

function importedOf({ positions = [], versions = [], firstLine = 1 }: Rows): ImportedRows {
  const rows = positions.map((position) => ({ position, at: position * 1_000, hash: String(position).repeat(64) }))
  return { base: 0, firstLine, positions: rows, versions, sourceEvents: [], claims: [], compactions: [] }
}

function versionOf(entryId: string, position: number, endedPosition: number | null): ImportedVersion {
  return {
    memoryRef,
    entryId,
    version: 1,
    content: `This is ${entryId}.`,
    tags: ['a'],
    salt: 'salt',
    createdAt: position * 1_000,
    expiresAt: null,
    createdPosition: position,
    ordinal: 0,
    recordedPosition: position,
    endedPosition,
    endedReason: endedPosition === null ? null : 'deleted',
    subject: null,
    origin: { kind: 'api' },
    classification: null,
    trust: 'agent',
    readers: null,
  }
}
