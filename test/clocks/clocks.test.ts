// Clocks that are set back, that differ between servers, and that are far ahead: nothing is valid again, and no wrong instant is recorded.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openInMemoryStore } from '../../src/adapters/in-memory/open.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { openSqlite } from '../../src/adapters/sqlite/open.ts'
import { nodeSystem } from '../../src/adapters/system/node-system.ts'
import { createAuthenticator } from '../../src/app/access/authenticate.ts'
import { createKey, listKeys, revokeKey } from '../../src/app/access/keys.ts'
import { rotateKey } from '../../src/app/access/rotate-key.ts'
import { scopesOfActor } from '../../src/app/access/scopes-of-actor.ts'
import { openSession } from '../../src/app/access/sessions.ts'
import { readinessWarning, unreadiness } from '../../src/app/capabilities.ts'
import { loadConfig } from '../../src/config/config.ts'
import { hashKey } from '../../src/core/access/api-key.ts'
import { dayMs } from '../../src/core/retention.ts'
import { jobsOf } from '../../src/jobs/queue.ts'
import { Worker } from '../../src/jobs/worker.ts'
import { composeEngine } from '../../src/open.ts'
import type { Storage } from '../../src/ports/storage.ts'
import { createServer } from '../../src/server/serve.ts'
import { rejectsWith } from '../contract/suite/assert-code.ts'
import { eventually } from '../support/child.ts'
import { createDatabase, releaseServer } from '../support/databases.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { firstKey, tenantId } from '../support/use-cases.ts'

after(releaseServer)

const start = Date.parse('2026-01-01T00:00:00Z')
const second = 1_000
const hour = 3_600_000
const at = (ms: number) => new Date(ms).toISOString()

/** A clock of its own for each server. */
type Clock = { now: number }
type Open = (clock: Clock) => Promise<Storage>

/** Makes an empty database, and returns what opens it. A model can be opened once. */
const databases: Readonly<Record<string, () => Promise<Open>>> = {
  memory: async () => async (clock) => openInMemoryStore({ now: () => clock.now }),
  sqlite: async () => {
    const path = join(createFolder().path, 'colophon.db')
    return async (clock) => openSqlite({ path, now: () => clock.now })
  },
  postgres: async () => {
    const { url } = await createDatabase()
    return (clock) => openPostgres({ url, now: () => clock.now })
  },
}

async function openServer(open: Open, clock: Clock, isClockTrusted = false) {
  const system = nodeSystem(() => clock.now)
  const parts = [await open(clock), system, 'test', null, {}, {}, isClockTrusted] as const
  const { engine, close } = composeEngine(...parts)
  const configured = { hash: hashKey('configured'), tenantId, keyId: 'key_bootstrap' }
  const authenticate = createAuthenticator(engine, [configured])
  const tenant = engine.tenant(tenantId)
  const put = (content = 'x') => tenant.put('notes', { content })
  return { engine, tenant, clock, put, authenticate, [Symbol.asyncDispose]: close }
}

type Server = Awaited<ReturnType<typeof openServer>>

async function makeKey({ tenant }: Server, expiresAt?: string) {
  const { id, key = '' } = await createKey(tenant, firstKey, { name: 'k', scopes: ['memory:read'], expiresAt })
  return { id, key, header: `Bearer ${key}` }
}

for (const [name, makeDatabase] of Object.entries(databases)) {
  describe(`clocks on ${name}`, () => {
    test('a key that was revoked or rotated without an overlap stays so when the clock is set back, also for another process', async () => {
      const open = await makeDatabase()
      const server = await openServer(open, { now: start })
      const [revoked, rotated] = [await makeKey(server), await makeKey(server)]
      server.clock.now += 2 * second
      await revokeKey(server.tenant, revoked.id)
      await rotateKey(server.tenant, firstKey, rotated.id, 0)
      const refuse = async ({ tenant, authenticate }: Server) => {
        for (const { id, header } of [revoked, rotated]) {
          await rejectsWith('key_revoked', authenticate(header))
          const key = (await listKeys(tenant, { after: null, limit: 10 })).find((each) => each.id === id)
          assert.equal(key?.status, 'revoked')
        }
        assert.deepEqual(await scopesOfActor(tenant, `key:${revoked.id}`), [])
      }
      await refuse(server)
      for (const back of [1.5 * second, dayMs, 20 * 366 * dayMs]) {
        server.clock.now = start - back
        await refuse(server)
      }
      await server[Symbol.asyncDispose]()
      if (name === 'memory') return
      // With a trusted clock nothing but the state speaks against it.
      await using restarted = await openServer(open, { now: start - dayMs }, true)
      await refuse(restarted)
    })

    test('keys, overlaps and sessions that have expired by a record stay so when the clock is set back, also for another process', async () => {
      const open = await makeDatabase()
      const server = await openServer(open, { now: start })
      const expiring = await makeKey(server, at(start + hour))
      const rotated = await makeKey(server)
      await rotateKey(server.tenant, firstKey, rotated.id, hour)
      const owner = { key: 'configured', keyId: 'key_bootstrap', endsAt: null }
      const { text: session } = await openSession(server.tenant, owner)
      for (const { header } of [expiring, rotated]) await server.authenticate(header)
      await server.authenticate(undefined, session)
      server.clock.now = start + dayMs
      await server.put()
      const refuse = async ({ tenant, authenticate }: Server) => {
        await rejectsWith('key_expired', authenticate(expiring.header))
        await rejectsWith('key_revoked', authenticate(rotated.header))
        await rejectsWith('unauthenticated', authenticate(undefined, session))
        assert.deepEqual(await scopesOfActor(tenant, `key:${expiring.id}`), [])
      }
      await refuse(server)
      for (const back of [0, dayMs, 60 * 366 * dayMs]) {
        server.clock.now = start - back
        await refuse(server)
      }
      await server[Symbol.asyncDispose]()
      if (name === 'memory') return
      await using restarted = await openServer(open, { now: start })
      await refuse(restarted)
    })

    test('an overlap that begins while the clock is set back is as long as any other', async () => {
      await using server = await openServer(await makeDatabase(), { now: start + dayMs })
      const { id, header } = await makeKey(server)
      server.clock.now = start
      await rotateKey(server.tenant, firstKey, id, hour)
      await server.authenticate(header)
      server.clock.now = start + dayMs + hour
      await rejectsWith('key_revoked', server.authenticate(header))
    })

    test('an entry that has expired by a record is not returned again, nor found, nor written by a retry', async () => {
      await using server = await openServer(await makeDatabase(), { now: start })
      const { tenant, clock } = server
      const draft = { content: 'A tea of the day.', expiresAt: at(start + hour) }
      const { id } = await tenant.put('notes', draft, { idempotencyKey: 'k' })
      clock.now = start + 2 * hour
      await server.put()
      clock.now = start
      assert.equal(await tenant.get('notes', id), null)
      assert.equal((await tenant.list('notes')).entries.length, 1)
      assert.equal((await tenant.search('notes', 'tea')).results.length, 0)
      await rejectsWith('content_erased', tenant.put('notes', draft, { idempotencyKey: 'k' }))
      await rejectsWith(
        'validation_error',
        createKey(tenant, firstKey, { name: 'k', scopes: ['memory:read'], expiresAt: at(start + hour) }),
      )
    })

    test('one write with a clock ten years ahead is refused, and later ones have the right instant', async () => {
      await using server = await openServer(await makeDatabase(), { now: start })
      const { tenant, clock, engine } = server
      await server.put()
      const before = await tenant.auditHead()
      clock.now = start + 10 * 366 * dayMs
      assert.equal(await unreadiness(engine), 'clock_ahead')
      await rejectsWith('clock_ahead', server.put())
      await rejectsWith('clock_ahead', engine.tenant('new').put('notes', { content: 'x' }))
      assert.equal(await engine.storage.tenant('new'), null)
      assert.equal((await tenant.list('notes')).entries.length, 1, 'reads go on')
      clock.now = start + hour
      assert.equal(await unreadiness(engine), null)
      assert.deepEqual(await tenant.auditHead(), before)
      assert.equal((await server.put()).createdAt, at(start + hour))
    })

    test('while the clock is ahead, refused writes search the database once, and the use of a key is not noted', async () => {
      const open = await makeDatabase()
      let searches = 0
      const counted: Open = async (clock) => {
        const storage = await open(clock)
        return { ...storage, tenants: (query) => storage.tenants(query).finally(() => (searches += 1)) }
      }
      await using server = await openServer(counted, { now: start })
      const { header } = await makeKey(server)
      searches = 0
      server.clock.now = start + 10 * 366 * dayMs
      for (let n = 0; n < 5; n++) await rejectsWith('clock_ahead', server.put())
      await server.authenticate(header)
      assert.ok(searches <= 2, `${searches} searches: two pages`)
      server.clock.now = start
      assert.equal((await listKeys(server.tenant, { after: null, limit: 1 }))[0]?.lastUsedAt, undefined)
    })

    test('a server that was off for a month writes, and so does a tenant without a write for years if another one has any', async () => {
      const open = await makeDatabase()
      await using server = await openServer(open, { now: start })
      await server.put()
      for (let month = 1; month <= 30; month++) {
        server.clock.now = start + month * 31 * dayMs
        await server.engine.tenant('busy').put('notes', { content: 'x' })
      }
      assert.equal((await server.put()).createdAt, at(start + 930 * dayMs))
    })

    test('a database that is new, or whose records are older than the program, believes the clock', async () => {
      await using server = await openServer(await makeDatabase(), { now: 5 * second })
      await server.put()
      server.clock.now = start
      assert.equal((await server.put()).createdAt, at(start))
    })

    test('records from the future: reads and writes go on, readiness says so, and a trusted clock is the way out', async () => {
      const open = await makeDatabase()
      const future = start + 10 * 366 * dayMs
      const server = await openServer(open, { now: future })
      const { clock, tenant, engine } = server
      const owner = { key: 'configured', keyId: 'key_bootstrap', endsAt: null }
      await tenant.put('notes', { content: 'early', expiresAt: at(future + dayMs) })
      const forever = await makeKey(server)
      clock.now = start
      assert.equal((await server.put()).createdAt, at(future), 'instants never go back')
      await server.authenticate(forever.header)
      assert.deepEqual([await unreadiness(engine), readinessWarning(engine)], [null, 'clock_behind'])
      await rejectsWith('clock_behind', openSession(tenant, owner))
      await server[Symbol.asyncDispose]()
      if (name === 'memory') return
      await using trusted = await openServer(open, { now: start }, true)
      const { text } = await openSession(trusted.tenant, owner)
      await trusted.authenticate(undefined, text)
      const { header } = await makeKey(trusted, at(start + hour))
      await trusted.authenticate(header)
      trusted.clock.now += dayMs
      await rejectsWith('key_expired', trusted.authenticate(header))
      await rejectsWith('unauthenticated', trusted.authenticate(undefined, text))
    })

    test('records of more than a year ago: writes are refused after a restart, and a trusted clock is the way out', async () => {
      if (name === 'memory') return
      const open = await makeDatabase()
      const first = await openServer(open, { now: start })
      await first.put()
      await first[Symbol.asyncDispose]()
      const late = start + 367 * dayMs
      const refused = await openServer(open, { now: late })
      assert.equal(await unreadiness(refused.engine), 'clock_ahead')
      await rejectsWith('clock_ahead', refused.put())
      await refused[Symbol.asyncDispose]()
      const trusted = await openServer(open, { now: late }, true)
      assert.equal((await trusted.put()).createdAt, at(late))
      await trusted[Symbol.asyncDispose]()
      await using again = await openServer(open, { now: late + dayMs })
      await again.put()
    })

    test('a worker starts no job by a clock that is far ahead', async () => {
      await using server = await openServer(await makeDatabase(), { now: start })
      const { engine, clock } = server
      await server.put()
      const done: string[] = []
      const handlers = { note: async ({ jobId }: { jobId: string }) => void done.push(jobId) }
      const jobs = jobsOf(server.tenant)
      const due = await jobs.enqueue({ kind: 'note', payload: null })
      await jobs.enqueue({ kind: 'note', payload: null, dueAt: at(start + dayMs) })
      let isAhead = 0
      const asked = engine.instants.isAhead.bind(engine.instants)
      engine.instants.isAhead = () => {
        const answer = asked()
        isAhead += 1
        return answer
      }
      clock.now = start + 10 * 366 * dayMs
      const worker = new Worker(engine, { handlers, pollMs: 5 }, () => {}).start()
      await eventually('the worker has looked for jobs', async () => isAhead >= 3)
      assert.deepEqual(done, [])
      clock.now = start
      await eventually('the job that is due is done', async () => done.length === 1)
      await worker.stop()
      assert.deepEqual(done, [due])
    })

    test('a request reads its key with the last instant of its tenant, and nothing else', async () => {
      const open = await makeDatabase()
      const reads: string[] = []
      const counted = async (clock: Clock) => {
        const storage = await open(clock)
        const count = (method: 'clock' | 'tenant' | 'tenants' | 'activeCredential') => ({
          [method]: (...values: never[]) => {
            reads.push(method)
            return (storage[method] as (...all: never[]) => unknown)(...values)
          },
        })
        return { ...storage, ...count('clock'), ...count('tenant'), ...count('tenants'), ...count('activeCredential') }
      }
      await using server = await openServer(counted as Open, { now: start })
      const { header } = await makeKey(server, at(start + hour))
      reads.length = 0
      await server.authenticate(header)
      assert.deepEqual(reads, ['activeCredential'])
    })
  })
}

test('readiness and the log say that a clock is ahead or behind, without a tenant', async () => {
  const clock = { now: start }
  const logs: string[] = []
  const config = loadConfig({ COLOPHON_STORAGE: 'memory', COLOPHON_DATA_DIR: createFolder().path })
  const logTo = { write: (line: string) => void logs.push(line) }
  const server = await createServer({ config, now: () => clock.now, logTo })
  try {
    await server.engine.tenant(tenantId).put('notes', { content: 'x' })
    const ready = async () => {
      const answer = await server.app.inject('/readyz')
      return [answer.statusCode, answer.json()]
    }
    assert.deepEqual(await ready(), [200, { status: 'ready' }])
    clock.now = start + 367 * dayMs
    assert.deepEqual(await ready(), [503, { status: 'unavailable', reason: 'clock_ahead' }])
    clock.now = start - hour
    assert.deepEqual(await ready(), [200, { status: 'ready', warning: 'clock_behind', behindSeconds: 3_600 }])
    assert.match((await server.app.inject('/metrics')).body, /^colophon_clock_behind_seconds 3600$/m)
    const said = logs.join('')
    for (const word of ['clock_ahead', 'clock_behind']) assert.ok(said.includes(word), word)
    assert.ok(!said.includes(tenantId))
  } finally {
    await server.close()
  }
})

test('of two servers with different clocks, the one that is behind refuses what the records of the other have ended', async () => {
  const open = await (databases.postgres as () => Promise<Open>)()
  await using right = await openServer(open, { now: start })
  await using behind = await openServer(open, { now: start - hour })
  const { header } = await makeKey(right, at(start + second))
  await behind.authenticate(header)
  right.clock.now = start + 2 * second
  await rejectsWith('key_expired', right.authenticate(header))
  await right.put()
  await eventually('the other server refuses the key', () =>
    behind.authenticate(header).then(
      () => false,
      ({ code }) => code === 'key_expired',
    ),
  )
  assert.equal((await behind.put()).createdAt, at(start + 2 * second))
  assert.equal(readinessWarning(behind.engine), 'clock_behind')
  assert.equal(readinessWarning(right.engine), null)
})
