import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { type Colophon, openColophon } from '../../src/index.ts'
import { makeBrief } from '../support/brief.ts'
import { eventually } from '../support/child.ts'
import { createDatabase, releaseServer, run } from '../support/databases.ts'
import { rejectsWith } from './suite/assert-code.ts'
import { batchOf } from './suite/batch.ts'
import { assertIntact } from './suite/intact.ts'

after(releaseServer)

/** Two processes on one database, as the database sees them. */
async function withTwo(work: (left: Colophon, right: Colophon, url: string) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  const left = await openColophon({ databaseUrl: database.url })
  const right = await openColophon({ databaseUrl: database.url })
  try {
    await work(left, right, database.url)
  } finally {
    await left.close()
    await right.close()
    await database.drop()
  }
}

/** The last statements of connections, as many as are commits by themselves. */
async function quickCommits(url: string): Promise<number> {
  const [counted] = await run(
    url,
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and query like 'with advanced%'",
  )
  return counted?.n as number
}

async function waitingForLocks(url: string): Promise<number> {
  const [counted] = await run(
    url,
    "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return counted?.n as number
}

test('the only writer of a tenant puts and deletes in one statement', () =>
  withTwo(async (left, _right, url) => {
    const memory = left.memory('acme')
    await memory.put('notes', { content: 'first' })
    assert.equal(await quickCommits(url), 0, 'the first one has to look at the clock')
    const second = await memory.put('notes', { content: 'second', tags: ['t'] }, { idempotencyKey: 'k' })
    assert.equal(await quickCommits(url), 1)
    assert.equal(await memory.delete('notes', second.id), true)
    const both = await Promise.all([
      memory.put('notes', { content: 'third', tags: ['t'] }),
      memory.put('notes', { content: 'fourth', tags: ['t'] }),
    ])
    await Promise.all([
      ...both.map(({ id }) => memory.delete('notes', id)),
      memory.put('notes', { content: 'fifth', tags: ['t', 'u'] }),
    ])
    const contents = async (tag?: string) =>
      (await memory.list('notes', tag === undefined ? {} : { tag })).entries.map(({ content }) => content)
    assert.deepEqual(await contents(), ['fifth', 'first'])
    assert.deepEqual(await contents('t'), ['fifth'])
    assert.equal((await memory.search('notes', 'fifth')).results[0]?.entry.content, 'fifth')
    await assertIntact(memory, 8)
  }))

test('an ending checks the stored version, its lifetime and its tags', () =>
  withTwo(async (left) => {
    const memory = left.memory('acme')
    const put = (content: string, more: object = {}) => memory.put('notes', { content, tags: ['t', 'u'], ...more })
    const [twice, named, expired, plain] = [
      await put('a'),
      await put('b'),
      await makeBrief((expiresAt) => put('c', { expiresAt }).catch(() => null)),
      await put('d'),
    ]
    for (const { id } of [twice, named]) await memory.revise('notes', id, { content: 'revised', tags: ['t', 'v'] })
    assert.equal(await memory.delete('notes', twice.id), true)
    await rejectsWith('version_conflict', memory.delete('notes', named.id, { expects: 1 }))
    assert.equal(await memory.delete('notes', named.id, { expects: 2 }), true)
    assert.equal(await memory.delete('notes', named.id), false)
    assert.equal(await memory.delete('others', plain.id), false)
    while ((await memory.get('notes', expired.id)) !== null) await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal(await memory.delete('notes', expired.id), false)
    const others = await Promise.all([put('e'), put('f')])
    await Promise.all([memory.delete('notes', plain.id), ...others.map(({ id }) => memory.delete('notes', id))])
    for (const tag of ['t', 'u', 'v']) assert.deepEqual((await memory.list('notes', { tag })).entries, [])
    const { position } = await memory.snapshot()
    await assertIntact(memory, position)
  }))

test('a batch that lost the race is sealed again on the stored state', () =>
  withTwo(async (left, right) => {
    const [mine, theirs] = [left.memory('acme'), right.memory('acme')]
    const entry = await mine.put('notes', { content: 'mine' })
    await theirs.put('notes', { content: 'theirs' })
    assert.equal(await mine.delete('notes', entry.id), true)
    assert.equal(await theirs.delete('notes', entry.id), false, 'it is gone already')
    const kept = await mine.put('notes', { content: 'kept' })
    await theirs.put('notes', { content: 'in between' })
    assert.equal((await mine.revise('notes', kept.id, { content: 'kept better' })).content, 'kept better')
    await rejectsWith('version_conflict', theirs.delete('notes', kept.id, { expects: 1 }))
    for (let turn = 0; turn < 20; turn++) {
      await mine.put('turns', { content: `mine ${turn}` })
      await theirs.put('turns', { content: `theirs ${turn}` })
    }
    assert.equal((await mine.list('turns', { limit: 100 })).entries.length, 40)
    const { position } = await mine.snapshot()
    await assertIntact(theirs, position)
  }))

test('an idempotency key that another process used returns its outcome, also when the clock is cached here', () =>
  withTwo(async (left, right) => {
    const [mine, theirs] = [left.memory('acme'), right.memory('acme')]
    const first = await mine.put('notes', { content: 'once' }, { idempotencyKey: 'k' })
    await theirs.put('notes', { content: 'other' })
    assert.deepEqual(await theirs.put('notes', { content: 'once' }, { idempotencyKey: 'k' }), first)
    await rejectsWith('idempotency_key_mismatch', theirs.put('notes', { content: 'twice' }, { idempotencyKey: 'k' }))
    assert.equal((await mine.snapshot()).position, 2)
  }))

test('an idempotency key that another process stores while this one waits for the clock returns its outcome, not an error', () =>
  withTwo(async (left, _right, url) => {
    const memory = left.memory('acme')
    const first = await memory.put('notes', { content: 'once' }, { idempotencyKey: 'first' })
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    try {
      // What a call that changes nothing does: it locks the clock, stores its key, and leaves the clock where it was.
      await other.query("begin; select 1 from tenant_clock where tenant_id = 'acme' for update")
      const again = memory.put('notes', { content: 'once' }, { idempotencyKey: 'second' })
      again.catch(() => {})
      await eventually('it waits for the clock', async () => (await waitingForLocks(url)) === 1)
      await other.query(
        `insert into idempotency (tenant_id, key, digest, outcome, created_at)
         select tenant_id, replace(key, 'first', 'second'), digest, outcome, created_at from idempotency`,
      )
      await other.query('commit')
      assert.deepEqual(await again, first)
      assert.equal((await memory.list('notes')).entries.length, 1)
    } finally {
      await other.end()
    }
  }))

test('a batch that ends an entry which a later batch of its group puts ends nothing', async () => {
  const database = await createDatabase()
  const storage = await openPostgres({ url: database.url, now: Date.now })
  try {
    const tenantId = 'acme'
    const key = { memoryRef: 'notes', entryId: 'mem_2' }
    const text = { content: 'x', tags: [], expiresAt: null, subject: null, origin: { kind: 'api' }, salt: 's' } as const
    await storage.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, 1)
    await storage.commit(batchOf({ tenantId, puts: [{ ...key, ...text, entryId: 'mem_1' }] }))
    const [end] = await Promise.all([
      storage.commit(batchOf({ tenantId, kind: 'memory.deleted', ends: [{ ...key, reason: 'deleted' }] })),
      storage.commit(batchOf({ tenantId, puts: [{ ...key, ...text }] })),
    ])
    assert.deepEqual(end.outcome.ended, [])
    assert.equal((await storage.versions(tenantId, [{ ...key, version: 1 }]))[0]?.endedPosition, null)
  } finally {
    await storage.close()
    await database.drop()
  }
})

test('a batch redacted with rules that another process has changed since is not stored', async () => {
  const database = await createDatabase()
  const [left, right] = await Promise.all([1, 2].map(() => openPostgres({ url: database.url, now: Date.now })))
  assert.ok(left && right)
  try {
    const tenantId = 'acme'
    await left.ensureTenant(tenantId, { macKey: new Uint8Array(32) }, 1)
    const put = (entryId: string) => {
      const text = { memoryRef: 'notes', entryId, content: 'x', tags: [], expiresAt: null, subject: null }
      return batchOf({ tenantId, puts: [{ ...text, origin: { kind: 'api' }, salt: 's' }] })
    }
    await left.commit(put('mem_1'))
    const admin = [{ kind: 'secret', id: 's', body: { text: {}, sealed: {} }, expects: null }] as const
    await right.commit(batchOf({ tenantId, kind: 'admin.test', admin, changesRedaction: true }))
    await rejectsWith('redaction_stale', left.commit(put('mem_2')))
    assert.equal((await left.clock(tenantId))?.position, 2)
  } finally {
    await left.close()
    await right.close()
    await database.drop()
  }
})
