import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newSigner } from '../../../test/support/signer.ts'
import { openUseCases, type UseCaseWorld } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { newTenant, type TenantState } from '../../adapters/in-memory/tenant-state.ts'
import { sha256 } from '../../core/audit/digest.ts'
import { parseCheckpoint } from '../../core/log/checkpoint.ts'
import { leafHash, treeRoot } from '../../core/log/merkle.ts'
import { isNoteSigned, parseVerifierKey } from '../../core/log/note.ts'
import { isConsistent, isIncluded } from '../../core/log/proofs.ts'
import { formatTilePath } from '../../core/log/tiles.ts'
import type { Signer } from '../engine.ts'
import type { Tenant } from '../tenant.ts'
import { buildTiles, openLogTree } from './build-tiles.ts'
import { listLogKeys } from './log-keys.ts'
import { proveConsistency, proveInclusion, readCheckpoint, readTileBytes } from './read-log.ts'

const open = (tenants = new Map<string, TenantState>(), signer: Signer | null = newSigner()): UseCaseWorld =>
  openUseCases(({ now }) => openInMemoryStore({ now, tenants }), { host: { signer } })

const hashOf = (position: number) => sha256(`record ${position}`)

/** A tenant with so many audit records, which no commit made: their hashes are all that the tree is made of. */
function withRecords(count: number): Map<string, TenantState> {
  const state = newTenant({ macKey: Buffer.alloc(32, 7) }, 0)
  for (let position = 1; position <= count; position++)
    state.audit.push({ position, at: position, body: '{}', hash: hashOf(position), refs: [] })
  state.clock = { ...state.clock, position: count, lastHash: hashOf(count) }
  return new Map([['acme', state]])
}

/** The same tenant, with the reads of the tree counted. */
function counted(tenant: Tenant) {
  const read = { records: 0, roots: 0, saved: 0 }
  const { log } = tenant.storage
  const storage = {
    ...tenant.storage,
    log: {
      ...log,
      async recordHashes(...args: Parameters<typeof log.recordHashes>) {
        const hashes = await log.recordHashes(...args)
        read.records += hashes.length
        return hashes
      },
      async tileRoots(...args: Parameters<typeof log.tileRoots>) {
        const roots = await log.tileRoots(...args)
        read.roots += roots.length
        return roots
      },
      async saveTileRoots(...args: Parameters<typeof log.saveTileRoots>) {
        read.saved += args[1].length
        await log.saveTileRoots(...args)
      },
    },
  }
  return { read, tenant: { ...tenant.engine, storage, tenant: tenant.engine.tenant }.tenant(tenant.id) }
}

async function leavesOf(tenant: Tenant, size: number) {
  const hashes = await tenant.storage.log.recordHashes(tenant.id, 1, size)
  return hashes.map((hash) => leafHash(Buffer.from(hash, 'hex')))
}

describe('the log of a tenant', () => {
  test('has a signed checkpoint over all audit records', async () => {
    await using world = open()
    for (let note = 0; note < 5; note++) await world.tenant.put('notes', { content: `note ${note}` })
    const first = await readCheckpoint(world.tenant)
    const { origin, size, root, note } = parseCheckpoint('checkpoint', first)
    // The sixth record is that of the key, whose first checkpoint this is.
    assert.equal(size, 6)
    assert.deepEqual(root, treeRoot(await leavesOf(world.tenant, 6)))
    const { keys, origin: named } = await listLogKeys(world.tenant)
    assert.deepEqual([origin, keys.length, keys[0]?.isCurrent], [named, 1, true])
    assert.ok(isNoteSigned(note, parseVerifierKey('key', keys[0]?.verifierKey ?? '')))
    assert.equal(await readCheckpoint(world.tenant), first, 'a checkpoint changes nothing')
    assert.doesNotMatch(first, /acme/)
    assert.notEqual((await listLogKeys(world.engine.tenant('other'))).origin, origin)
    assert.ok((await world.tenant.verify({ contents: true })).ok)
  })

  test('of a tenant without records begins with the record of the key', async () => {
    await using world = open()
    assert.equal(parseCheckpoint('checkpoint', await readCheckpoint(world.tenant)).size, 1)
  })

  test('needs a signing key', async () => {
    await using world = open(new Map(), null)
    await assert.rejects(readCheckpoint(world.tenant), { code: 'signing_key_missing' })
  })

  test('keeps every key that signed it', async () => {
    const tenants = new Map<string, TenantState>()
    await using before = open(tenants)
    const old = await readCheckpoint(before.tenant)
    await using after = open(tenants)
    after.clock.advance(1_000)
    await readCheckpoint(after.tenant)
    const { keys } = await listLogKeys(after.tenant)
    assert.deepEqual(
      keys.map(({ isCurrent }) => isCurrent),
      [false, true],
    )
    assert.ok(
      isNoteSigned(parseCheckpoint('checkpoint', old).note, parseVerifierKey('key', keys[0]?.verifierKey ?? '')),
    )
    assert.ok((await after.tenant.verify({ checkpoint: old })).ok, 'a checkpoint of an earlier key is known')
  })
})

describe('proofs of a log', () => {
  const sizes = [1, 2, 255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 66_000]

  test('are those of the tree over all records, at every edge of a tile', async () => {
    await using world = open(withRecords(66_000))
    const leaves = await leavesOf(world.tenant, 66_000)
    const rootAt = new Map(sizes.map((size) => [size, treeRoot(leaves.slice(0, size))]))
    for (const size of sizes) {
      const root = rootAt.get(size) ?? treeRoot([])
      assert.deepEqual(await (await openLogTree(world.tenant, size)).root(), root)
      for (const position of new Set([1, Math.ceil(size / 2), Math.max(1, size - 1), size])) {
        const {
          leafHash: leaf,
          leafIndex: index,
          hashes: proof,
        } = await proveInclusion(world.tenant, { position, size })
        assert.deepEqual(leaf, leaves[index])
        assert.ok(isIncluded({ leaf, index, size, root, proof }), `${position} of ${size}`)
      }
      for (const from of sizes.filter((smaller) => smaller <= size)) {
        const { fromRoot, toRoot, hashes } = await proveConsistency(world.tenant, { from, to: size })
        assert.deepEqual([fromRoot, toRoot], [rootAt.get(from), root])
        assert.ok(isConsistent({ size: from, root: fromRoot }, { size, root }, hashes), `${from} to ${size}`)
      }
    }
  })

  test('read few rows of a long log once its tiles are stored', async () => {
    await using world = open(withRecords(66_000))
    await openLogTree(world.tenant, 66_000)
    const { read, tenant } = counted(world.tenant)
    await (await openLogTree(tenant, 66_000)).root()
    assert.ok(read.records <= 255 && read.roots <= 2 * 255, JSON.stringify(read))
    await proveInclusion(tenant, { position: 300 })
    await proveConsistency(tenant, { from: 40_000 })
    assert.ok(read.records <= 10 * 256 && read.roots <= 10 * 256, JSON.stringify(read))
    assert.equal(read.saved, 0)
  })

  test('are refused beyond the end of the log', async () => {
    await using world = open(withRecords(9))
    const refused = { code: 'validation_error', message: /9, the size of the log/ }
    await assert.rejects(proveInclusion(world.tenant, { position: 10 }), refused)
    await assert.rejects(proveInclusion(world.tenant, { position: 0 }), refused)
    await assert.rejects(proveInclusion(world.tenant, { position: 1, size: 10 }), refused)
    await assert.rejects(proveConsistency(world.tenant, { from: 1, to: 10 }), refused)
    await assert.rejects(proveConsistency(world.tenant, { from: 10 }), refused)
  })
})

describe('tiles of a log', () => {
  test('have the hashes of their level, and are found by their path', async () => {
    await using world = open(withRecords(66_000))
    const leaves = await leavesOf(world.tenant, 66_000)
    assert.deepEqual(await readTileBytes(world.tenant, '0/002'), Buffer.concat(leaves.slice(512, 768)))
    const last = formatTilePath({ level: 0, tile: 257, width: 66_000 - 257 * 256, isEntries: false })
    assert.deepEqual(await readTileBytes(world.tenant, last), Buffer.concat(leaves.slice(257 * 256)))
    const roots = Array.from({ length: 257 }, (_, tile) => treeRoot(leaves.slice(tile * 256, tile * 256 + 256)))
    assert.deepEqual(await readTileBytes(world.tenant, '1/000'), Buffer.concat(roots.slice(0, 256)))
    assert.deepEqual(await readTileBytes(world.tenant, '1/001.p/1'), Buffer.concat(roots.slice(256)))
    assert.deepEqual(await readTileBytes(world.tenant, '2/000.p/1'), treeRoot(leaves.slice(0, 65_536)))
    const bundle = await readTileBytes(world.tenant, 'entries/000.p/2')
    const entry = (position: number) => [0, 32, ...Buffer.from(hashOf(position), 'hex')]
    assert.deepEqual([...bundle], [...entry(1), ...entry(2)])
    for (const path of ['0/257', '0/300.p/1', '1/001.p/2', '2/000', '3/000.p/1', 'entries/257'])
      await assert.rejects(readTileBytes(world.tenant, path), { code: 'log_tile_not_found' }, path)
    await assert.rejects(readTileBytes(world.tenant, '0/7'), { code: 'validation_error' })
  })

  test('are built in bounded parts, and each part is kept', async () => {
    await using world = open(withRecords(66_000))
    const { read, tenant } = counted(world.tenant)
    const parts = []
    for (let part = 0; part < 9; part++) {
      const outcome = await buildTiles(tenant, 66_000, 100).then(
        () => 'built',
        (error: { code: string }) => error.code,
      )
      parts.push(outcome)
      if (outcome === 'built') break
    }
    assert.deepEqual(parts, ['log_not_ready', 'log_not_ready', 'built'])
    assert.deepEqual([read.records, read.saved], [257 * 256, 258])
  })

  test('are built once for concurrent requests', async () => {
    await using world = open(withRecords(5_000))
    const { read, tenant } = counted(world.tenant)
    const trees = await Promise.all([1, 2, 3, 4].map(() => openLogTree(tenant, 5_000)))
    assert.deepEqual([read.records, read.saved], [19 * 256, 19])
    const [root, ...others] = await Promise.all(trees.map((tree) => tree.root()))
    for (const other of others) assert.deepEqual(other, root)
  })

  test('are not built over a missing record', async () => {
    const tenants = withRecords(600)
    tenants.get('acme')?.audit.splice(300)
    await using world = open(tenants)
    await assert.rejects(openLogTree(world.tenant, 600), { code: 'storage_corrupt' })
    assert.equal(await world.tenant.storage.log.tileCount('acme', 0), 0)
  })

  test('that are missing in between are not replaced by others', async () => {
    const tenants = withRecords(2_000)
    await using world = open(tenants)
    const root = await (await openLogTree(world.tenant, 1_500)).root()
    await openLogTree(world.tenant, 2_000)
    const tiles = tenants.get('acme')?.logTiles
    tiles?.delete('0/2')
    const torn = await openLogTree(world.tenant, 1_500)
    await assert.rejects(torn.root(), { code: 'storage_corrupt' })
    tiles?.clear()
    assert.deepEqual(await (await openLogTree(world.tenant, 1_500)).root(), root, 'they are computed again')
  })
})

describe('verify with a checkpoint', () => {
  async function filled() {
    const tenants = new Map<string, TenantState>()
    const world = open(tenants)
    for (let note = 0; note < 300; note++) await world.tenant.put('notes', { content: `note ${note}` })
    const checkpoint = await readCheckpoint(world.tenant)
    await world.tenant.put('notes', { content: 'later' })
    return { world, checkpoint, state: tenants.get('acme') as TenantState }
  }

  test('passes as long as the log continues it', async () => {
    const { world, checkpoint } = await filled()
    await using _ = world
    assert.deepEqual(await world.tenant.verify({ checkpoint }), { ok: true, from: 1, to: 302, checked: 302 })
    assert.ok((await world.tenant.verify({ checkpoint, contents: true })).ok)
  })

  test('finds another history, although its chain is valid in itself', async () => {
    const { world, checkpoint, state } = await filled()
    await using other = open(new Map([['acme', { ...newTenant(state.secrets, 0), records: state.records }]]))
    await using _ = world
    for (let note = 0; note < 302; note++) await other.tenant.put('notes', { content: `another ${note}` })
    assert.ok((await other.tenant.verify()).ok)
    const verdict = await other.tenant.verify({ checkpoint })
    assert.deepEqual([verdict.ok, verdict.fault], [false, { position: 301, problem: 'checkpoint' }])
  })

  test('finds a history that became shorter, and one with a hole', async () => {
    const { world, checkpoint, state } = await filled()
    await using _ = world
    const last = state.audit[199]
    const whole = [...state.audit]
    state.audit.splice(200)
    assert.equal((await world.tenant.verify({ checkpoint })).fault?.problem, 'checkpoint')
    state.clock = { ...state.clock, position: 200, lastHash: last?.hash ?? '' }
    assert.ok((await world.tenant.verify()).ok, 'the chain alone does not show it')
    assert.deepEqual((await world.tenant.verify({ checkpoint })).fault, { position: 301, problem: 'checkpoint' })
    state.audit.splice(0, 200, ...whole)
  })

  test('refuses what is no checkpoint of this log', async () => {
    const { world, checkpoint } = await filled()
    await using _ = world
    await using stranger = open()
    const foreign = await readCheckpoint(stranger.tenant)
    const forged = checkpoint.replace('\n301\n', '\n300\n')
    for (const [text, message] of [
      ['yesterday', /signed note/],
      [foreign, /another log/],
      [forged, /no valid signature/],
    ] as const)
      await assert.rejects(world.tenant.verify({ checkpoint: text }), { code: 'validation_error', message })
  })
})
