import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { distributePostgres } from '../../src/adapters/postgres/distribute.ts'
import { postgresMigrations } from '../../src/adapters/postgres/migrate.ts'
import { openPostgres } from '../../src/adapters/postgres/open.ts'
import { startPostgres } from './postgres-server.ts'

/** A database for one test; the test that makes it drops it. */
export type TestDatabase = { readonly url: string; drop(): Promise<void> }

let ownServer: ReturnType<typeof startPostgres> | null = null
let template: Promise<string> | null = null

/** The server of `npm test`, or one of this process when a single file is run. */
async function serverUrl(): Promise<string> {
  const given = process.env.COLOPHON_TEST_DATABASE_URL
  if (given) return given
  // Durability of the server itself is not what these suites test, and the flushes would dominate their time.
  ownServer ??= startPostgres({ fsync: 'off' })
  return (await ownServer).url
}

/** Drops what this process made, and ends its own server, so that the process can end. */
export async function releaseServer(): Promise<void> {
  for (const database of unused.splice(0)) await database.drop()
  await (await ownServer)?.stop()
  ownServer = null
  template = null
}

/** Emptied databases of this process. Making one takes PostgreSQL half a second, emptying one some 20 ms. */
const unused: TestDatabase[] = []

/** With the schema of today and without rows. */
export async function createDatabase(): Promise<TestDatabase> {
  const admin = await serverUrl()
  if (isDistributed) return createDistributed(admin)
  const database = unused.pop() ?? (await createUnusedDatabase())
  const reuseOrDrop = async () => {
    if (await empty(database.url)) unused.push(database)
    else await database.drop()
  }
  return { url: database.url, drop: reuseOrDrop }
}

/** The same for suites about query plans: one that was emptied has the statistics of its earlier rows. */
export async function createUnusedDatabase(): Promise<TestDatabase> {
  const admin = await serverUrl()
  if (isDistributed) return createDistributed(admin)
  template ??= createTemplate(admin)
  return create(admin, `template ${await template}`)
}

/** Without any table, for suites about migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const admin = await serverUrl()
  return isDistributed ? createSchema(admin) : create(admin)
}

/** The given server is a cluster: its databases are on several nodes, so each test gets a schema of the given one. */
const isDistributed = process.env.COLOPHON_TEST_DATABASE_DISTRIBUTED === '1'

async function createSchema(admin: string): Promise<TestDatabase> {
  const name = `colophon_test_${randomBytes(6).toString('hex')}`
  await run(admin, `create schema ${name}`)
  const url = new URL(admin)
  // Few shards: a test has few tenants, and every shard of a table is a table.
  url.searchParams.set('options', `-c search_path=${name} -c citus.shard_count=4`)
  return { url: url.href, drop: async () => void (await run(admin, `drop schema if exists ${name} cascade`)) }
}

async function createDistributed(admin: string): Promise<TestDatabase> {
  const schema = await createSchema(admin)
  await distributePostgres(schema.url, 'none', Date.now())
  return schema
}

async function create(admin: string, options = ''): Promise<TestDatabase> {
  const name = `colophon_test_${randomBytes(6).toString('hex')}`
  await run(admin, `create database ${name} ${options}`)
  const drop = async () => void (await run(admin, `drop database if exists ${name} with (force)`))
  return { url: named(admin, name), drop }
}

/** Ends the connections that a test left and deletes all rows; false when the test left it so that this fails, or with another schema. */
async function empty(url: string): Promise<boolean> {
  try {
    const client = await connect(url)
    try {
      // With time to end: one that commits behind the deletions would leave rows to the next test.
      await client.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
                           where datname = current_database() and pid <> pg_backend_pid()`)
      const { rows } = await client.query(`select format('delete from %I', tablename) as deletion from pg_tables
                                            where schemaname = 'public' and tablename <> 'schema_migration'`)
      await client.query(rows.map(({ deletion }) => deletion).join(';'))
      // A trigger that one test made must not be found by the verification of the next one.
      const { rowCount: triggers } = await client.query('select from pg_trigger where not tgisinternal')
      return triggers === 0
    } finally {
      await client.end()
    }
  } catch {
    return false
  }
}

/** Suites start side by side: the first migrates, the others wait for its lock and find the template. */
async function createTemplate(admin: string): Promise<string> {
  const schema = createHash('sha256').update(JSON.stringify(postgresMigrations)).digest('hex').slice(0, 12)
  const name = `colophon_template_${schema}`
  const client = await connect(admin)
  try {
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 1) return name
    const { url } = await create(admin)
    // With row-level security: so every suite on PostgreSQL also shows that no statement needs the rows of another tenant.
    await (await openPostgres({ url, now: Date.now, rowSecurity: true })).close()
    // Renamed when it is complete: a run that is killed half-way leaves no template that looks finished.
    await client.query(`alter database ${new URL(url).pathname.slice(1)} rename to ${name}`)
    return name
  } finally {
    await client.end()
  }
}

function named(admin: string, database: string): string {
  const url = new URL(admin)
  url.pathname = `/${database}`
  return url.href
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

export async function run(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = await connect(url)
  try {
    return (await client.query(sql, values)).rows as Record<string, unknown>[]
  } finally {
    await client.end()
  }
}
