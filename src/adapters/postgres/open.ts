import { genesisHash } from '../../core/audit/audit.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { Storage } from '../../ports/storage.ts'
import { GroupCommit } from '../sql/group-commit.ts'
import { createAdminStore } from './admin.ts'
import { createCommitter } from './commit.ts'
import { createCompactionStore } from './compactions.ts'
import { openPool, type Pooler, postgresLimits, query, statement } from './connection.ts'
import { Database } from './database.ts'
import { openSnapshot } from './database-snapshot.ts'
import { isDistributed, readDistribution } from './distribution.ts'
import { toStorageError } from './errors.ts'
import { readClocks } from './followed.ts'
import { createForgetStore } from './forget.ts'
import { createHistoryStore } from './history.ts'
import { createJobStore } from './jobs.ts'
import { createLogStore } from './log.ts'
import { migratePostgres } from './migrate.ts'
import { createNearIndex, prepareNear } from './near-index.ts'
import { createPeopleStore } from './people.ts'
import { createProvenanceStore } from './provenance.ts'
import { createReader } from './read.ts'
import { noRowSecurity, secureRows, tenantRole } from './row-security.ts'
import { createRunStore } from './runs.ts'
import { createSearchStore } from './search.ts'
import { withPlace } from './start-error.ts'
import { createStatsStore } from './stats.ts'
import { createVectorStore } from './vectors.ts'

export type PostgresOptions = {
  readonly url: string
  readonly now: () => number
  /** Connections that this process may have open. */
  readonly connectionsMax?: number
  /** `transaction` behind a pooler in that mode: then nothing is kept in a session. */
  readonly pooler?: 'none' | 'transaction'
  /** Whether policies of the database hide the rows of other tenants. Null leaves the database as it is. */
  readonly rowSecurity?: boolean | null
  /** How long the answer to a commit may take. Then its caller gets an error that says that the outcome is unknown. */
  readonly commitWaitMs?: number
  /** For tests of a connection without a server behind it. */
  readonly answerWaitMs?: number
  /** For tests of the search in a ref with many vectors. */
  readonly exactVectorsMax?: number
}

/** Any number of processes on one PostgreSQL. A group of writes belongs to one tenant, whose clock row orders them all. */
export async function openPostgres(options: PostgresOptions): Promise<Storage> {
  const { connectionsMax, commitWaitMs, answerWaitMs, pooler = 'none' } = { ...postgresLimits, ...options }
  const prepared = await prepare(options, pooler)
  const { isRowSecured, hasNear } = prepared
  const pool = openPool(options.url, connectionsMax, pooler, isRowSecured && pooler === 'none' ? tenantRole : null)
  const database = new Database(pool, { connectionsMax, pooler, commitWaitMs, answerWaitMs, ...prepared })
  let isOpen = true
  const use = (): void => {
    if (!isOpen) throw new ColophonError('closed', 'The store was closed.')
  }
  const reader = createReader(database)
  const admin = createAdminStore(database)
  const runs = createRunStore(database)
  const provenance = createProvenanceStore(database)
  const compactions = createCompactionStore(database)
  const search = createSearchStore(database)
  const history = createHistoryStore(database)
  const stats = createStatsStore(database)
  const vectors = createVectorStore(database, {
    read: reader,
    index: hasNear ? createNearIndex(database, options.url, pooler) : null,
    exactMax: options.exactVectorsMax ?? limits.searchExactVectorsMax,
  })
  const forget = createForgetStore(database)
  const log = createLogStore(database)
  const people = createPeopleStore(database)
  const { commitGroup, outcome } = createCommitter(database, options.now)
  const group = new GroupCommit({ queueOf: (batch) => batch.tenantId, run: commitGroup })
  const answer =
    <Args extends unknown[], T>(read: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      use()
      return read(...args)
    }
  return {
    traits: { durable: true, sharedAcrossProcesses: true, hasRowSecurity: isRowSecured },
    jobs: createJobStore(database, use),
    runs: {
      get: answer(runs.get),
      logStatus: answer(runs.logStatus),
      list: answer(runs.list),
      events: answer(runs.events),
      calls: answer(runs.calls),
      scanCalls: answer(runs.scanCalls),
      sequences: answer(runs.sequences),
    },
    forget: {
      fences: answer(forget.fences),
      scan: answer(forget.scan),
      among: answer(forget.among),
      sources: answer(forget.sources),
      claims: answer(forget.claims),
      runsNaming: answer(forget.runsNaming),
      contents: answer(forget.contents),
      outcomes: answer(forget.outcomes),
      leftovers: answer(forget.leftovers),
      removeOrphans: answer(forget.removeOrphans),
      purge: answer(forget.purge),
    },
    provenance: {
      sourceEvent: answer(provenance.sourceEvent),
      sourceEventSummaries: answer(provenance.sourceEventSummaries),
      sourceEventNamed: answer(provenance.sourceEventNamed),
      sourceEventsNamed: answer(provenance.sourceEventsNamed),
      sourceEvents: answer(provenance.sourceEvents),
      sourceEventHeads: answer(provenance.sourceEventHeads),
      keptPayloads: answer(provenance.keptPayloads),
      claim: answer(provenance.claim),
      claims: answer(provenance.claims),
      assertions: answer(provenance.assertions),
      assertionsOfClaims: answer(provenance.assertionsOfClaims),
      writeExcerpts: answer(provenance.writeExcerpts),
      assertionsOfEvent: answer(provenance.assertionsOfEvent),
      instants: answer(provenance.instants),
      newestVersions: answer(provenance.newestVersions),
      entryVersions: answer(provenance.entryVersions),
      versionsOfEntries: answer(provenance.versionsOfEntries),
      listAll: answer(provenance.listAll),
      currentBelow: answer(provenance.currentBelow),
    },
    compactions: {
      get: answer(compactions.get),
      list: answer(compactions.list),
      sources: answer(compactions.sources),
      derivedFrom: answer(compactions.derivedFrom),
    },
    search: {
      find: answer(search.find),
      around: answer(search.around),
      index: answer(search.index),
      unindexed: answer(search.unindexed),
    },
    vectors: {
      begin: answer(vectors.begin),
      reached: answer(vectors.reached),
      reach: answer(vectors.reach),
      pending: answer(vectors.pending),
      known: answer(vectors.known),
      save: answer(vectors.save),
      nearest: answer(vectors.nearest),
      similarities: answer(vectors.similarities),
      method: vectors.method,
      removeOthers: answer(vectors.removeOthers),
      counts: answer(vectors.counts),
      versions: answer(vectors.versions),
    },
    history: {
      expired: answer(history.expired),
      ended: answer(history.ended),
      oldestSnapshot: answer(history.oldestSnapshot),
      runs: answer(history.runs),
      jobs: answer(history.jobs),
      removeJobs: answer(history.removeJobs),
      removeOutcomes: answer(history.removeOutcomes),
    },
    people: {
      spellings: answer(people.spellings),
      spelledTwice: answer(people.spelledTwice),
    },
    log: {
      recordHashes: answer(log.recordHashes),
      tileCount: answer(log.tileCount),
      tileRoots: answer(log.tileRoots),
      saveTileRoots: answer(log.saveTileRoots),
    },
    stats: {
      read: answer(stats.read),
      growth: answer(stats.growth),
      bytes: answer(stats.bytes),
      pending: answer(stats.pending),
      readHost: answer(stats.readHost),
    },
    ensureTenant: answer(async (tenantId, fresh, at) => {
      const [known] = await query<TenantRow>(database, selectTenant, [tenantId])
      if (known) return known
      return createTenant(database, tenantId, fresh.macKey, at)
    }),
    pressure: () => ({
      commits: group.queued,
      commitsOverdue: database.commitsOverdue,
      connections: { open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount },
    }),
    isWritable: answer(async () => {
      if (database.commitsOverdue > 0) return false
      const [row] = await query<{ is_writable: boolean }>(database, selectWritable, [])
      return row?.is_writable === true
    }),
    clock: answer(reader.clock),
    clocks: answer((tenantIds) => readClocks(database, tenantIds)),
    commit: (batch) => group.commit(batch),
    outcome: answer(outcome),
    get: answer(reader.get),
    list: answer(reader.list),
    listShown: answer(reader.list),
    listMatching: answer(reader.listMatching),
    versions: answer(reader.versions),
    scanVersions: answer(reader.scanVersions),
    recentVersions: answer(reader.recentVersions),
    positionAt: answer(reader.positionAt),
    audit: answer(reader.audit),
    record: answer(admin.record),
    records: answer(admin.records),
    refs: answer(admin.refs),
    activeCredential: answer(admin.activeCredential),
    noteKeyUse: answer(admin.noteKeyUse),
    keyUses: answer(admin.keyUses),
    tenant: answer(admin.tenant),
    tenants: answer(admin.tenants),
    snapshot: answer((tenantId) => openSnapshot(database, tenantId)),
    async close() {
      if (!isOpen) return
      await group.close()
      isOpen = false
      await database.end()
    },
  }
}

/** Brings the schema up to date, as the owner of its tables. */
async function prepare({ url, now, rowSecurity = null }: PostgresOptions, pooler: Pooler) {
  const pool = openPool(url, 1, pooler)
  try {
    await migratePostgres(pool, now())
    const isOnSeveralNodes = isDistributed(await readDistribution(pool))
    if (isOnSeveralNodes && rowSecurity === true) throw noRowSecurity()
    const isRowSecured = isOnSeveralNodes ? false : await secureRows(pool, rowSecurity)
    const hasNear = !isOnSeveralNodes && (await prepareNear(pool))
    return { isRowSecured, isDistributed: isOnSeveralNodes, hasNear }
  } catch (error) {
    throw withPlace(error, url)
  } finally {
    await pool.end()
  }
}

/** Also off on a standby, and where an operator made new transactions read-only. */
const selectWritable = statement(
  'select_writable',
  `select setting = 'off' as is_writable from pg_settings where name = 'transaction_read_only'`,
)

type TenantRow = { macKey: Uint8Array; createdAt: number }

const tenantColumns = 'mac_key as "macKey", created_at as "createdAt"'
const selectTenant = statement('select_tenant', `select ${tenantColumns} from tenant where tenant_id = $1`)

async function createTenant(database: Database, tenantId: string, macKey: Uint8Array, at: number) {
  try {
    return await database.transaction(tenantId, 'tenants', async ({ send, commit }) => {
      const clock = send(insertClock, [tenantId, genesisHash])
      const tenant = send<TenantRow>(insertTenant, [tenantId, macKey, at])
      await commit(clock, tenant)
      return (await tenant).rows[0] ?? { macKey, createdAt: at }
    })
  } catch (error) {
    throw toStorageError(error)
  }
}

const insertClock = statement(
  'insert_clock',
  `insert into tenant_clock (tenant_id, position, last_hash, last_created_at, redaction_version)
   values ($1, 0, $2, 0, 1)
       on conflict do nothing`,
)

/** Updates nothing when the tenant exists, but so gives back the key that is stored, also to the loser of a race. */
const insertTenant = statement(
  'insert_tenant',
  `insert into tenant (tenant_id, mac_key, created_at)
   values ($1, $2, $3)
       on conflict (tenant_id) do update
      set tenant_id = excluded.tenant_id
   returning ${tenantColumns}`,
)
