import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPool, type SqlStatement, statement, unnamedStatement } from '../../src/adapters/postgres/connection.ts'
import { Database } from '../../src/adapters/postgres/database.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { hostRole, tenantRole } from '../../src/adapters/postgres/row-security.ts'
import { openColophon } from '../../src/index.ts'
import { createDatabase, createEmptyDatabase, releaseServer, run, type TestDatabase } from '../support/databases.ts'
import { rejectsWith } from './suite/assert-code.ts'

after(releaseServer)

const now = Date.now

const ofTenant = statement('test_of_tenant', 'select content from entry_version where tenant_id = $1')
/** Statements that forgot their tenant. */
const forgetful = [
  statement('test_forgetful', 'select content from entry_version'),
  statement('test_forgetful_counted', 'select content from entry_version limit $1::int'),
] as const

/** The columns that are in view of the host, if any policy lets it see rows. */
const columnsOf = (url: string, role: string) =>
  run(
    url,
    `select table_name || '.' || column_name as name from information_schema.column_privileges
      where grantee = $1 and privilege_type = 'SELECT' order by 1`,
    [role],
  )

describe('row-level security', () => {
  let database: TestDatabase
  before(async () => {
    database = await createDatabase()
    const colophon = await openColophon({ databaseUrl: database.url })
    for (const tenant of ['acme', 'globex'])
      await colophon.memory(tenant).put('notes', { content: `a secret of ${tenant}`, tags: ['t'] })
    await colophon.close()
  })
  after(() => database.drop())

  async function as<T>(role: string, tenant: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await client.query(`set role ${role}`)
      if (tenant !== null) await client.query(`select set_config('colophon.tenant', $1, false)`, [tenant])
      return await work(client)
    } finally {
      await client.end()
    }
  }

  test('every table with a tenant has a policy, except the queue of tenants with work', async () => {
    const open = await run(
      database.url,
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
          and not (c.relrowsecurity and exists (select 1 from pg_policy p where p.polrelid = c.oid))`,
    )
    assert.deepEqual(open, [{ name: 'job_ready' }])
  })

  test('a statement without a tenant sees the tenant of its call, and without a call nothing', async () => {
    const read = (client: pg.Client) => client.query('select content from entry_version')
    assert.deepEqual((await as(tenantRole, 'acme', read)).rows, [{ content: 'a secret of acme' }])
    assert.deepEqual((await as(tenantRole, null, read)).rows, [])
    assert.deepEqual((await as(tenantRole, '', read)).rows, [])
  })

  test('a row of another tenant can be neither changed nor added', async () => {
    const deletion = `delete from entry_version where tenant_id = 'globex'`
    assert.equal((await as(tenantRole, 'acme', (client) => client.query(deletion))).rowCount, 0)
    const addition = `insert into key_use (tenant_id, key_id, last_used_at) values ('globex', 'k', 0)`
    await assert.rejects(
      as(tenantRole, 'acme', (client) => client.query(addition)),
      { code: '42501' },
    )
    const schema = 'alter table entry_version disable row level security'
    await assert.rejects(
      as(tenantRole, 'acme', (client) => client.query(schema)),
      { code: '42501' },
    )
  })

  test('the role across tenants sees named columns without content, and changes nothing', async () => {
    const names = (await columnsOf(database.url, hostRole)).map(({ name }) => name)
    assert.deepEqual(names, [
      ...['job.due_at', 'job.status', 'job.tenant_id'],
      ...['run.ended_at', 'run.next_sequence', 'run.run_id', 'run.status', 'run.tenant_id'],
      ...[
        'search_progress.indexed',
        'search_progress.memory_ref',
        'search_progress.rules',
        'search_progress.tenant_id',
      ],
      ...['search_scope.memory_ref', 'search_scope.newest', 'search_scope.tenant_id'],
      ...['tenant.created_at', 'tenant.status', 'tenant.tenant_id'],
      ...['tenant_clock.position', 'tenant_clock.tenant_id'],
    ])
    const tenants = await as(hostRole, null, (client) => client.query('select tenant_id from tenant order by 1'))
    assert.deepEqual(tenants.rows, [{ tenant_id: 'acme' }, { tenant_id: 'globex' }])
    const refused = [
      'select content from entry_version',
      'select mac_key from tenant',
      'delete from tenant',
      'select * from job',
    ]
    for (const text of refused)
      await assert.rejects(
        as(hostRole, 'acme', (client) => client.query(text)),
        { code: '42501' },
        text,
      )
  })

  for (const pooler of ['none', 'transaction'] as const)
    test(`the store gives up the role it logs in with (pooler: ${pooler})`, async () => {
      const store = await openPostgres({ url: database.url, now, pooler })
      const read = () => store.versions('acme', [{ memoryRef: 'notes', entryId: 'x', version: 1 }])
      assert.deepEqual(await read(), [])
      assert.equal((await store.tenants({ after: null, limit: 10 })).length, 2)
      await run(
        database.url,
        `revoke select on entry_version from ${tenantRole}; revoke select on tenant from ${tenantRole}`,
      )
      try {
        await assert.rejects(read(), { code: '42501' })
        assert.equal((await store.tenants({ after: null, limit: 10 })).length, 2, 'in the role across tenants')
      } finally {
        await run(database.url, `grant select on entry_version, tenant to ${tenantRole}`)
        await store.close()
      }
    })

  for (const pooler of ['none', 'transaction'] as const)
    test(`a statement without a tenant does not see that of the call before on its connection (pooler: ${pooler})`, async () => {
      const pool = openPool(database.url, 1, pooler, pooler === 'none' ? tenantRole : null)
      const store = new Database(pool, {
        connectionsMax: 1,
        pooler,
        isRowSecured: true,
        isDistributed: false,
        commitWaitMs: 10_000,
        answerWaitMs: 10_000,
      })
      const rows = async (what: SqlStatement, values: unknown[]) => (await store.send(what, values)).rows
      try {
        for (const without of [[], [1]]) {
          assert.deepEqual(await rows(ofTenant, ['acme']), [{ content: 'a secret of acme' }])
          assert.deepEqual(await rows(forgetful[without.length] as SqlStatement, without), [])
        }
        await rows(ofTenant, ['acme'])
        const inTransaction = store.transaction('globex', 'writes', async ({ send, commit }) => {
          const found = [await send(forgetful[0], []), await send(ofTenant, ['globex']), await send(forgetful[0], [])]
          await assert.rejects(async () => send(ofTenant, ['acme']), /opened for/)
          await commit()
          return found.map((result) => result.rows.map(({ content }) => content))
        })
        assert.deepEqual(await inTransaction, [[], ['a secret of globex'], ['a secret of globex']])
        await rows(ofTenant, ['acme'])
        const session = await store.keep('exports')
        await session.begin('')
        assert.deepEqual((await session.send(forgetful[0], [])).rows, [])
        await session.send(unnamedStatement('rollback'), [])
        session.release(false)
      } finally {
        await store.end()
      }
    })

  test('two tenants on one connection each see their own', async () => {
    const colophon = await openColophon({ databaseUrl: database.url })
    const seen = await Promise.all(
      Array.from({ length: 40 }, async (_, i) => {
        const tenant = i % 2 ? 'acme' : 'globex'
        const { entries } = await colophon.memory(tenant).list('notes')
        return [tenant, entries.map(({ content }) => content)] as const
      }),
    )
    for (const [tenant, contents] of seen) assert.deepEqual(contents, [`a secret of ${tenant}`])
    await colophon.close()
  })

  test('can be switched on and off, and stays as it is without a word', async () => {
    await using fresh = await disposable(createEmptyDatabase())
    const secured = async (rowSecurity: boolean | null) => {
      await (await openPostgres({ url: fresh.url, now, rowSecurity })).close()
      const [row] = await run(fresh.url, 'select count(*)::int as n from pg_class where relrowsecurity')
      return (row?.n as number) > 0
    }
    assert.equal(await secured(null), false)
    assert.deepEqual([await secured(true), await secured(null)], [true, true])
    assert.deepEqual([await secured(false), await secured(null)], [false, false])
  })

  test('a log-in that neither owns the tables nor is a superuser is enough for a schema that is up to date', async () => {
    const login = `login_${Date.now()}`
    await run(database.url, `create role ${login} login password 'p' in role ${tenantRole}, ${hostRole}`)
    await run(database.url, `grant select on schema_migration to ${login}`)
    const url = Object.assign(new URL(database.url), { username: login, password: 'p' }).href
    try {
      const colophon = await openColophon({ databaseUrl: url })
      assert.equal((await colophon.memory('acme').list('notes')).entries.length, 1)
      await colophon.memory('initech').put('notes', { content: 'new' })
      await colophon.close()
      await using fresh = await disposable(createEmptyDatabase())
      await run(fresh.url, `grant create on schema public to ${login}`)
      await run(fresh.url, `revoke ${tenantRole}, ${hostRole} from ${login}`)
      const empty = Object.assign(new URL(fresh.url), { username: login, password: 'p' }).href
      await rejectsWith('storage_unavailable', openPostgres({ url: empty, now, rowSecurity: true }))
      await (await openPostgres({ url: empty, now })).close()
    } finally {
      await run(database.url, `drop owned by ${login}; drop role if exists ${login}`).catch(() => {})
    }
  })
})

async function disposable(made: Promise<TestDatabase>): Promise<TestDatabase & AsyncDisposable> {
  const database = await made
  return { ...database, [Symbol.asyncDispose]: () => database.drop() }
}
