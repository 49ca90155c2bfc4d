import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { knownStatements, type SqlStatement, statement } from '../../src/adapters/postgres/connection.ts'
import { filterSql } from '../../src/adapters/postgres/filter.ts'
import { listsAt } from '../../src/adapters/postgres/list-statements.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { listAll } from '../../src/adapters/postgres/provenance-statements.ts'
import { versionsByKey } from '../../src/adapters/postgres/read-statements.ts'
import { rowsByNumber, unindexedMatches } from '../../src/adapters/postgres/search-statements.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import { createDatabase, releaseServer, type TestDatabase } from '../support/databases.ts'
import { findingsIn } from '../support/statement-tenancy.ts'

const folder = fileURLToPath(new URL('../../src/adapters/postgres/', import.meta.url))
const files = globSync(`${folder}{*,parts/*}.ts`).filter((file) => !file.endsWith('.test.ts'))

/** Statements that read several tenants, the reason, and how they run where tables are distributed by tenant. */
const acrossTenants: Readonly<Record<string, string>> = {
  // One row for each tenant with work. It locks what it picks, which no query over several nodes can: `job_ready` is a
  // local table of the coordinator, beside the distributed tables of the jobs themselves.
  pick_tenant: 'a worker looks for a tenant with due work, then stays inside it',
  // An ordered page of a distributed table: every node gives its first rows.
  tenants: 'the operator lists tenants',
  // Counts for the operator of the host: every node counts its own rows, and the coordinator adds them up.
  stats_host_waiting: 'how many jobs wait, for the metrics',
  stats_host_dead: 'how many jobs were given up, for the metrics',
  stats_host_runs: 'how many runs are under way, for the metrics',
  // An ordered page of distributed tables, one row long.
  search_unindexed_tenant: 'a pass looks for the next tenant whose entries wait for the index, then stays inside it',
  // Not sent where tables are distributed: there each tenant is asked for by itself.
  clocks: 'one query for the positions of all subscribed tenants',
  run_sequences: 'one query for all followers of runs, each named with its tenant',
}

/** A whole commit in one statement. Not sent where tables are distributed: it writes several tables. */
const isOptimistic = (name: string) => name.startsWith('quick_')

/** Tables without tenants: the same on every node (a reference table). */
const tablesWithoutTenant = ['schema_migration']
/** And the view of the server's settings. */
const notOfTenants = [...tablesWithoutTenant, 'pg_settings']

describe('the statements of the PostgreSQL adapter', () => {
  let database: TestDatabase
  let client: pg.Client
  let statements: readonly SqlStatement[]
  before(async () => {
    database = await createDatabase()
    await (await openPostgres({ url: database.url, now: Date.now })).close()
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    for (const file of files) await import(pathToFileURL(file).href)
    statements = knownStatements()
  })
  after(async () => {
    await client.end()
    await database.drop()
    await releaseServer()
  })
  const nameOf = ({ name }: SqlStatement) => name.replace('colophon_', '')
  test('are all checked here, and each has a unique name', () => {
    const written = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\bstatement\(\s*'(\w+)'/g)])
    const names = new Set(statements.map(nameOf))
    assert.deepEqual(
      written.map(([, name = '']) => name).filter((name) => !names.has(name)),
      [],
    )
    assert.throws(() => statement('clock', 'select 1'), /Two statements/)
    assert.ok(statements.length > 100, `${statements.length} statements`)
    const long = statements.filter(({ name }) => name.length > 63)
    assert.deepEqual(long, [], 'the server cuts such names, and two could become one')
  })

  test('each compare the tenant of every table with that of the call, except those with a reason', async () => {
    const found = new Map<string, string[]>()
    for (const one of statements) {
      const findings = await findingsIn(one.text, notOfTenants)
      // With fewer writes it would still be one of one tenant.
      const serious = isOptimistic(nameOf(one)) ? findings.filter((text) => text.includes('compared')) : findings
      if (serious.length > 0) found.set(nameOf(one), serious)
    }
    assert.deepEqual(
      [...found].filter(([name]) => !(name in acrossTenants)),
      [],
    )
    const stale = Object.keys(acrossTenants).filter((name) => !found.has(name))
    assert.deepEqual(stale, [], 'these stay inside a tenant by now: take them off the list')
  })

  test('so do those whose text depends on a filter', async () => {
    const filter = parseFilter({ confidence: { gte: 0.5 }, metadata: { plan: 'pro' }, not: { tag: 'a' } })
    const { condition } = filterSql(filter, 20)
    const by = { condition, toPosition: '$18', toOrdinal: '$19' }
    const { listAt, listTagAt, listOwn } = listsAt(by)
    const filtered = [listAt, listTagAt, listOwn, listAll(by), rowsByNumber(`and ${condition}`)]
    filtered.push(unindexedMatches(condition), versionsByKey(`and ${condition}`))
    for (const text of filtered) assert.deepEqual(await findingsIn(text, notOfTenants), [], text)
  })

  test('a statement that forgets the tenant, or takes it from another row, is found', async () => {
    const forgetful = [
      'select content from entry_version where entry_id = $1',
      'select v.content from entry_version v join entry_tag t on t.ordinal = v.ordinal where t.tenant_id = $1',
      'select 1 from entry_tag t join entry_version v on v.tenant_id = t.tenant_id where t.tenant_id = $1',
      'select 1 from entry_tag t left join entry_version v on t.tenant_id = $1 and v.tenant_id = $1',
      'select 1 from unnest($1::text[]) as wanted (tenant_id) join run r on r.tenant_id = wanted.tenant_id',
      'select 1 from run where tenant_id = $1 or run_id = $2',
      'select 1 from run where tenant_id = $2',
      'select 1 from run where tenant_id = any($1)',
      'select 1 from run where tenant_id = $1 and exists (select 1 from job where job_id = run_id)',
      'select 1 from run where tenant_id = $1 union all select 1 from job',
      'with j as (select 1 from job) select 1 from j',
      'delete from job where job_id = $1',
      'update tenant_clock set position = $1::bigint',
      'insert into key_use (tenant_id, key_id, last_used_at) values ($2, $1, 0)',
      'insert into key_use (key_id, tenant_id, last_used_at) values ($1, $2, 0)',
      'insert into entry_tag (tenant_id, tag) select $1, tag from unnest($2::text[]) as tag',
      'insert into job (tenant_id) select s.tenant_id from schedule s where s.tenant_id = $1 limit 1',
      'with gone as (delete from job where tenant_id = $1) delete from run where tenant_id = $1',
      `update run set status = case status when 'a' then 'b' end where tenant_id = $1`,
      'select content from entry_version where tenant_id > $1',
    ]
    for (const text of forgetful) assert.notDeepEqual(await findingsIn(text, notOfTenants), [], text)
  })

  test('keep no session state: any connection of a pooler can run the next one', () => {
    const ofSession =
      /\b(?:pg_(?:try_)?advisory\w*|listen|unlisten|notify|pg_notify|temp|temporary|prepare|deallocate|discard|declare|currval|lastval|nextval|setval|set_config|current_setting)\b/i
    for (const one of statements) {
      assert.match(one.text.trim(), /^(?:select|insert|update|delete|with)\b/i, nameOf(one))
      assert.doesNotMatch(one.text, ofSession, nameOf(one))
    }
    // No other code sends statements to the server, except what runs on a schema that might not exist yet: the
    // migrations, the policies and the index of vectors, which run on connections of their own, and the query for pending ones; and what a new connection
    // asks to find out whether its host is a standby. The first statement of a transaction may set limits for that transaction alone. How a session plans is
    // set for connections without a pooler only, and no statement depends on it.
    const others = files
      .filter(
        (file) =>
          ![
            'migrate.ts',
            'distribution.ts',
            'row-security.ts',
            'near-index.ts',
            'pending-migrations.ts',
            'hosts.ts',
          ].includes(basename(file)),
      )
      .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/\.query(?:<\w+>)?\(([^\n]*)/g)])
      .map(([, given = '']) => given)
      .filter(
        (given) =>
          !given.startsWith('{ ...what, values') &&
          !given.startsWith('planByIndex)') &&
          !/^(?:'(?:commit|rollback)'|begin|beginning\([a-z#., ]+)\)/i.test(given),
      )
    assert.deepEqual(others, [])
  })

  test('use tables that can be distributed by tenant', async () => {
    const { rows: tables } = await client.query(
      `select c.relname as name, a.attname as first
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attnum = 1
        where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`,
    )
    const withoutTenant = tables.filter(({ first }) => first !== 'tenant_id').map(({ name }) => name)
    assert.deepEqual(withoutTenant, tablesWithoutTenant)
    // A unique constraint holds on one node only: it must contain the tenant, and a key begins with it.
    const { rows: unique } = await client.query(
      `select t.relname as table, i.indexrelid::regclass::text as index, array_agg(a.attname::text order by k.place) as columns
         from pg_index i
         join pg_class t on t.oid = i.indrelid and t.relnamespace = 'public'::regnamespace
        cross join unnest(i.indkey::int2[]) with ordinality as k (attnum, place)
         left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
        where i.indisunique
        group by 1, 2`,
    )
    const global = unique.filter(
      ({ table, columns }) => !tablesWithoutTenant.includes(table) && columns[0] !== 'tenant_id',
    )
    assert.deepEqual(global, [])
    const { rows: keyed } = await client.query(
      `select distinct conrelid::regclass::text as name from pg_constraint where contype = 'p' and connamespace = 'public'::regnamespace
        union
       select relname from pg_class where relreplident = 'f' and relnamespace = 'public'::regnamespace`,
    )
    assert.equal(keyed.length, tables.length, 'a table without a key, whose rows could not be replicated')
    const { rows: sequences } = await client.query(`select relname from pg_class where relkind = 'S'`)
    assert.deepEqual(sequences, [], 'a sequence is one counter for all tenants')
    const { rows: references } = await client.query(
      `select conname from pg_constraint c
        where contype = 'f'
          and not exists (select 1 from pg_attribute a where a.attrelid = c.conrelid and a.attnum = any(c.conkey) and a.attname = 'tenant_id')`,
    )
    assert.deepEqual(references, [])
  })
})
