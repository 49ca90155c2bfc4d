import assert from 'node:assert/strict'
import type { TileRoot } from '../../../src/ports/log-store.ts'
import type { ContractTest, World } from './world.ts'

const tenantId = 'acme'
const hashOf = (number: number) => number.toString(16).padStart(64, '0')
const rootsUpTo = (count: number, level = 0): TileRoot[] =>
  Array.from({ length: count }, (_, tile) => ({ level, tile, root: hashOf(tile) }))

async function putNotes({ colophon }: World, tenant: string, count: number): Promise<void> {
  for (let note = 0; note < count; note++) await colophon.memory(tenant).put('notes', { content: `note ${note}` })
}

/** What is stored of the Merkle tree over the audit. */
export function logContract(test: ContractTest): void {
  test('the hashes of audit records come in order of position, by range', async (world) => {
    await putNotes(world, tenantId, 5)
    await putNotes(world, 'other', 7)
    const { log } = world.storage
    const rows = await world.storage.audit({ tenantId, from: 1, to: 5, limit: 10 })
    const hashes = rows.map(({ hash }) => hash)
    assert.deepEqual(await log.recordHashes(tenantId, 1, 5), hashes)
    assert.deepEqual(await log.recordHashes(tenantId, 2, 4), hashes.slice(1, 4))
    assert.deepEqual(await log.recordHashes(tenantId, 5, 99), hashes.slice(4))
    assert.deepEqual(await log.recordHashes(tenantId, 6, 99), [])
    assert.deepEqual(await log.recordHashes('unknown', 1, 99), [])
  })

  test('roots of tiles are kept by tenant, level and tile', async (world) => {
    await putNotes(world, tenantId, 1)
    await putNotes(world, 'other', 1)
    const { log } = world.storage
    assert.equal(await log.tileCount(tenantId, 0), 0)
    assert.deepEqual(await log.tileRoots(tenantId, 0, 0, 10), [])
    await log.saveTileRoots(tenantId, [...rootsUpTo(12), { level: 1, tile: 0, root: hashOf(99) }])
    await log.saveTileRoots('other', rootsUpTo(3))
    assert.deepEqual([await log.tileCount(tenantId, 0), await log.tileCount(tenantId, 1)], [12, 1])
    assert.deepEqual([await log.tileCount('other', 0), await log.tileCount('other', 1)], [3, 0])
    assert.deepEqual(await log.tileRoots(tenantId, 0, 9, 99), [9, 10, 11].map(hashOf), 'in the order of numbers')
    assert.deepEqual(await log.tileRoots(tenantId, 0, 2, 4), [2, 3, 4].map(hashOf))
    assert.deepEqual(await log.tileRoots(tenantId, 1, 0, 10), [hashOf(99)])
    assert.deepEqual(await log.tileRoots('other', 0, 0, 10), [0, 1, 2].map(hashOf))
  })

  test('a root that is stored already stays, whoever stores it again', async (world) => {
    await putNotes(world, tenantId, 1)
    const { log } = world.storage
    await Promise.all([1, 2, 3].map(() => log.saveTileRoots(tenantId, rootsUpTo(4))))
    await log.saveTileRoots(tenantId, [
      { level: 0, tile: 3, root: hashOf(77) },
      { level: 0, tile: 4, root: hashOf(4) },
    ])
    await log.saveTileRoots(tenantId, [])
    assert.deepEqual(await log.tileRoots(tenantId, 0, 0, 10), [0, 1, 2, 3, 4].map(hashOf))
  })
}
