import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectsWith } from '../../../test/contract/suite/assert-code.ts'
import { openUseCases, tenantId } from '../../../test/support/use-cases.ts'
import { openInMemoryStore } from '../../adapters/in-memory/open.ts'
import { genesisHash } from '../../core/audit/audit.ts'
import type { AuditRow } from '../../core/commit/batch.ts'
import { isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import type { StoredRow, StoredRows, StoredTable } from '../../ports/stored-rows.ts'
import { revise } from '../entries/change.ts'
import { put } from '../entries/put.ts'
import { Tenant } from '../tenant.ts'
import { auditHead, listAudit, verify, verifyTenants } from './verify.ts'
import { verifyContents } from './verify-contents.ts'

type Tamper = { rows?: (rows: AuditRow[]) => AuditRow[] }

/** A chain of three records, and a storage adapter whose rows the test can change. */
async function openChain() {
  const tamper: Tamper = {}
  const world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
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

test('a verification is counted, and only a whole valid log sets the time of the last one', async () => {
  await using world = await openChain()
  const { auditVerifications: counted } = world.tenant.host
  await verify(world.tenant, { from: 2 })
  assert.equal(counted.verifiedAt(world.tenant.id, 0), null)
  await verify(world.tenant)
  assert.equal(counted.verifiedAt(world.tenant.id, 0), world.clock.now)
  assert.equal(counted.verifiedAt('other', 0), null, 'the log of one tenant says nothing about another')
  assert.equal(counted.verifiedAt('new', world.clock.now + 5), world.clock.now + 5)
  // Any caller can send a head that never was: it must not look like a fault of the log.
  await verify(world.tenant, { head: { tenant: world.tenant.id, position: 1, hash: '0'.repeat(64) } })
  world.tamper.rows = (rows) => rows.slice(1)
  await verify(world.tenant)
  assert.deepEqual(
    [...counted.outcomes.counts()],
    [
      ['part', 1],
      ['valid', 1],
      ['mismatch', 1],
      ['fault', 1],
    ],
  )
})

test('an unchanged chain passes, as a whole and in part', async () => {
  await using world = await openChain()
  const check = (options = {}) => verify(world.tenant, options)
  const head = await auditHead(world.tenant)
  const contents = { rows: 6, coveredFrom: 1, head, found: 0, anomalies: [] }
  assert.deepEqual(await check({ contents: true }), { ok: true, from: 1, to: 3, checked: 3, contents })
  assert.deepEqual(await check({ from: 2, to: 2 }), { ok: true, from: 2, to: 2, checked: 1 })
  assert.deepEqual(await check({ from: 4 }), { ok: true, from: 4, to: 3, checked: 0 })
  assert.deepEqual(await verify(world.engine.tenant('globex')), { ok: true, from: 1, to: 0, checked: 0 })
})

test('the chain is read in small pages, and other work runs between two of them', async () => {
  const asked: number[] = []
  await using world = openUseCases((options) => {
    const storage = openInMemoryStore(options)
    const audit: Storage['audit'] = (query) => {
      asked.push(query.limit)
      return storage.audit(query)
    }
    return { ...storage, audit }
  })
  const count = 2 * limits.verifyPageRowsMax + 1
  for (let n = 0; n < count; n++) await put(world.tenant, 'notes', { content: `${n}` })
  asked.length = 0
  assert.equal((await verify(world.tenant)).checked, count)
  // Three pages, and one record to see that nothing follows the end.
  assert.deepEqual(asked, [...Array.from({ length: 3 }, () => limits.verifyPageRowsMax), 1])
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

test('a record after the end of the chain is a fault, unless a commit added it meanwhile', async () => {
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

test('a chain must still contain a head that was exported before', async () => {
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

/** The same, with changed rows in the snapshot. */
function withRows(
  world: Awaited<ReturnType<typeof openChain>>,
  change: (table: StoredTable, rows: readonly StoredRow<unknown>[]) => readonly StoredRow<unknown>[],
): Tenant {
  const { storage } = world.engine
  const snapshot: Storage['snapshot'] = async (tenantId) => {
    const taken = await storage.snapshot(tenantId)
    const page: StoredRows['page'] = async (table, query) =>
      change(table, await taken.rows.page(table, query)) as Awaited<ReturnType<typeof taken.rows.page<typeof table>>>
    return { ...taken, rows: { ...taken.rows, page } }
  }
  return new Tenant({ ...world.engine, storage: { ...storage, snapshot } }, tenantId)
}

test('verifying contents finds a content that differs from its digest, and one that is missing', async () => {
  await using world = await openChain()
  const check = (tenant: Tenant) => verify(tenant, { contents: true })
  const changed = withRows(world, (table, rows) =>
    rows.map((row) =>
      table === 'versions' && row.key[1] === 2 ? { ...row, row: { ...(row.row as object), content: 'x' } } : row,
    ),
  )
  const { fault } = await check(changed)
  assert.deepEqual([fault?.position, fault?.problem, fault?.what, fault?.version], [2, 'changed', 'version', 2])
  assert.equal((await verify(changed)).ok, true)
  const { contents } = await check(withRows(world, (table, rows) => (table === 'versions' ? [] : rows)))
  assert.deepEqual(
    contents?.anomalies.flatMap(({ problem, what }) => (what === 'version' ? [[problem, what]] : [])),
    [
      ['gone', 'version'],
      ['gone', 'version'],
      ['gone', 'version'],
    ],
  )
})

test('in several rounds the rows of tags are read once, and a missing one is named', async () => {
  await using world = await openChain()
  for (let n = 0; n < 8; n++) await put(world.tenant, 'notes', { content: `${n}`, tags: ['a', `t${n}`] })
  const read: StoredTable[] = []
  const check = async (isKept: (row: StoredRow<unknown>) => boolean) => {
    read.length = 0
    const tenant = withRows(world, (table, rows) => {
      read.push(table)
      return table === 'tags' ? rows.filter(isKept) : rows
    })
    return (await verifyContents(tenant, 3)).contents
  }
  const clean = await check(() => true)
  const rounds = read.filter((table) => table === 'versions').length
  assert.ok(rounds > 2, `${rounds} rounds`)
  assert.deepEqual([clean?.found, read.filter((table) => table === 'tags').length], [0, 1])
  assert.equal(clean?.rows, (await verify(world.tenant, { contents: true })).contents?.rows)
  const missing = await check(({ key }) => key[1] !== 't5')
  assert.deepEqual(
    missing?.anomalies.map(({ problem, what, version }) => [problem, what, version]),
    [['gone', 'tag', 1]],
  )
})

test('a broken chain is reported, and no row is compared with it', async () => {
  await using world = await openChain()
  const faultOf = async (change: (rows: readonly StoredRow<unknown>[]) => readonly StoredRow<unknown>[]) => {
    const tenant = withRows(world, (table, rows) => (table === 'audit' ? change(rows) : rows))
    const { ok, fault, contents } = await verify(tenant, { contents: true })
    assert.deepEqual([ok, contents], [false, undefined])
    return fault
  }
  assert.deepEqual(await faultOf((rows) => rows.slice(1)), { position: 1, problem: 'missing' })
  assert.deepEqual(await faultOf((rows) => rows.slice(0, 2)), { position: 3, problem: 'missing' })
  assert.deepEqual(await faultOf((rows) => rows.map((row) => ({ ...row, row: null }))), {
    position: 1,
    problem: 'edited',
  })
  const more = (rows: readonly StoredRow<unknown>[]) => [...rows, { key: [4], row: rows[2]?.row ?? null }]
  assert.deepEqual(await faultOf(more), { position: 4, problem: 'tail' })
})

test('a range that the tenant has not reached, or that runs backwards, is refused', async () => {
  await using world = await openChain()
  for (const options of [{ to: 4 }, { from: 0 }, { from: 3, to: 1 }, { until: 2 } as object]) {
    await rejectsWith('validation_error', verify(world.tenant, options))
  }
})

test('verifying every tenant names the tenant and the position of the first fault', async () => {
  await using world = await openChain()
  assert.deepEqual(await verifyTenants(world.engine), [{ tenantId, position: 3 }])
  const { engine } = withRows(world, (table, rows) => (table === 'audit' ? rows.slice(0, 1) : rows))
  const tampered = { ...engine, tenant: (id: string) => new Tenant(engine, id) }
  await assert.rejects(verifyTenants(tampered), (error) => {
    assert.ok(isColophonError(error, 'storage_corrupt'))
    assert.deepEqual(error.details, { tenant: tenantId, position: 2, problem: 'missing' })
    return true
  })
})

test('records after a position are listed oldest first, with kind and actor as separate members', async () => {
  await using world = openUseCases(openInMemoryStore)
  for (const content of ['a', 'b', 'c']) await put(world.tenant, 'notes', { content }, { actor: 'ada' })
  const [record, ...others] = await listAudit(world.tenant, { after: 1, limit: 2 })
  assert.deepEqual(
    [record?.position, record?.at, record?.kind, record?.actor],
    [2, world.clock.now, 'memory.written', 'ada'],
  )
  assert.deepEqual(Object.keys(record?.body ?? {}), ['v', 'written'])
  assert.deepEqual(
    others.map(({ position, hash }) => [position, hash]),
    [[3, (await auditHead(world.tenant)).hash]],
  )
  assert.deepEqual(await listAudit(world.tenant, { after: 3, limit: 2 }), [])
})
