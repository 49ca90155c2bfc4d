import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { openModel } from '../../adapters/model/open.ts'
import { genesisHash } from '../../core/audit.ts'
import type { AuditRow } from '../../core/batch.ts'
import { isColophonError } from '../../core/errors.ts'
import type { Storage } from '../../ports/storage.ts'
import { rejectsWith } from '../../testing/assert-code.ts'
import { revise } from '../change-entry.ts'
import { put } from '../put.ts'
import { Tenant } from '../tenant.ts'
import { auditHead, listAudit, verify } from './verify.ts'
import { verifyTenants } from './verify-tenants.ts'

type Tamper = { rows?: (rows: AuditRow[]) => AuditRow[] }

/** A chain of three records, and a store that shows it as the test wants. */
async function openChain() {
  const tamper: Tamper = {}
  const world = openUseCases((options) => {
    const storage = openModel(options)
    return {
      ...storage,
      async audit(query) {
        const all = [...(await storage.audit({ ...query, from: 1, to: Number.MAX_SAFE_INTEGER, limit: 1_000 }))]
        const shown = tamper.rows?.(all) ?? all
        return shown.filter(({ position }) => position >= query.from && position <= query.to).slice(0, query.limit)
      },
    }
  })
  const { id } = await put(world.tenant, 'notes', { content: 'one' })
  await revise(world.tenant, 'notes', id, { content: 'two' })
  await put(world.tenant, 'notes', { content: 'three' })
  return { ...world, tamper }
}

test('a chain that was left as it is passes, as a whole and in part', async () => {
  await using world = await openChain()
  const check = (options = {}) => verify(world.tenant, options)
  assert.deepEqual(await check({ contents: true }), { ok: true, from: 1, to: 3, checked: 3 })
  assert.deepEqual(await check({ from: 2, to: 2 }), { ok: true, from: 2, to: 2, checked: 1 })
  assert.deepEqual(await check({ from: 4 }), { ok: true, from: 4, to: 3, checked: 0 })
  assert.deepEqual(await verify(world.engine.tenant('globex')), { ok: true, from: 1, to: 0, checked: 0 })
})

test('the first record that was edited, removed or cut off is named', async () => {
  const faultOf = async (rows: NonNullable<Tamper['rows']>) => {
    await using world = await openChain()
    world.tamper.rows = rows
    const verdict = await verify(world.tenant)
    return [verdict.ok, verdict.checked, verdict.fault?.position]
  }
  const editSecond = (row: AuditRow) => (row.position === 2 ? { ...row, body: row.body.replace('test', 'eve') } : row)
  assert.deepEqual(await faultOf((rows) => rows.map(editSecond)), [false, 1, 2])
  assert.deepEqual(await faultOf((rows) => rows.filter(({ position }) => position !== 2)), [false, 1, 2])
  assert.deepEqual(await faultOf((rows) => rows.slice(0, 2)), [false, 2, 3])
  assert.deepEqual(await faultOf((rows) => rows.slice(1)), [false, 0, 1])
})

test('a record behind the end of the chain is a fault, unless the store has moved on meanwhile', async () => {
  await using world = await openChain()
  world.tamper.rows = (rows) => [...rows, { ...(rows[2] as AuditRow), position: 4 }]
  assert.deepEqual((await verify(world.tenant)).fault, { position: 4, problem: 'tail' })
  const { storage } = world.engine
  let looks = 0
  const clock: Storage['clock'] = async (id) => {
    const known = await storage.clock(id)
    return known && looks++ > 0 ? { ...known, position: 4 } : known
  }
  assert.equal((await verify(new Tenant({ ...world.engine, storage: { ...storage, clock } }, tenantId))).ok, true)
})

test('a chain must still pass through a head that was exported before', async () => {
  await using world = await openChain()
  const head = await auditHead(world.tenant)
  await put(world.tenant, 'notes', { content: 'four' })
  assert.equal((await verify(world.tenant, { head })).ok, true)
  const empty = await auditHead(world.engine.tenant('globex'))
  assert.deepEqual(empty, { tenant: 'globex', position: 0, hash: genesisHash })
  assert.equal((await verify(world.tenant, { head: { ...empty, tenant: tenantId } })).ok, true)
  for (const other of [
    { ...head, hash: 'f'.repeat(64) },
    { ...head, tenant: 'globex' },
    { ...head, position: 9 },
  ]) {
    const { ok, checked, fault } = await verify(world.tenant, { head: other })
    assert.deepEqual([ok, checked, fault], [false, 0, { position: other.position, problem: 'head' }])
  }
})

test('a content that differs from its digest is found when contents are compared, and an erased one is no fault', async () => {
  await using world = await openChain()
  const model = world.engine.storage
  const withVersions = (change: (rows: Awaited<ReturnType<Storage['versions']>>) => typeof rows) => ({
    ...world.engine,
    storage: {
      ...model,
      versions: (async (...query) => change(await model.versions(...query))) as Storage['versions'],
    },
  })
  const check = (engine: typeof world.engine) => verify(engine.tenant(tenantId), { contents: true })
  assert.equal((await check(withVersions(() => []))).ok, true)
  const second = withVersions((rows) => rows.map((row) => (row.version === 2 ? { ...row, content: 'changed' } : row)))
  assert.deepEqual((await check(second)).fault, { position: 2, problem: 'content' })
  assert.equal((await verify(second.tenant(tenantId))).ok, true)
})

test('a range that the tenant has not reached, or that runs backwards, is refused', async () => {
  await using world = await openChain()
  for (const options of [{ to: 4 }, { from: 0 }, { from: 3, to: 1 }, { until: 2 } as object]) {
    await rejectsWith('validation_error', verify(world.tenant, options))
  }
})

test('verifying every tenant names the tenant and the place of the first fault', async () => {
  await using world = await openChain()
  assert.deepEqual(await verifyTenants(world.engine), [{ tenantId, position: 3 }])
  world.tamper.rows = (rows) => rows.slice(0, 1)
  await assert.rejects(verifyTenants(world.engine), (error) => {
    assert.ok(isColophonError(error, 'storage_corrupt'))
    assert.deepEqual(error.details, { tenant: tenantId, position: 2, problem: 'missing' })
    return true
  })
})

test('records are listed oldest first behind a position, with their kind and actor apart from the rest', async () => {
  await using world = openUseCases(openModel)
  for (const content of ['a', 'b', 'c']) await put(world.tenant, 'notes', { content }, { actor: 'ada' })
  const [record, ...others] = await listAudit(world.tenant, { after: 1, limit: 2 })
  assert.deepEqual(
    [record?.position, record?.at, record?.kind, record?.actor],
    [2, world.clock.now, 'memory.written', 'ada'],
  )
  assert.deepEqual(Object.keys(record?.body ?? {}), ['written'])
  assert.deepEqual(
    others.map(({ position, hash }) => [position, hash]),
    [[3, (await auditHead(world.tenant)).hash]],
  )
  assert.deepEqual(await listAudit(world.tenant, { after: 3, limit: 2 }), [])
})
