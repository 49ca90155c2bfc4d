import { createRulesExtractor } from './adapters/extract/rules.ts'
import type { PostgresOptions } from './adapters/postgres/open.ts'
import { createScanThreads } from './adapters/scan/thread-pool.ts'
import { createExtractiveSummariser } from './adapters/summarise/extractive.ts'
import { nodeSystem } from './adapters/system/node-system.ts'
import { CredentialCache } from './app/access/credential-cache.ts'
import { Watch } from './app/changes/watch.ts'
import { Counters } from './app/counters.ts'
import type { Engine, Host } from './app/engine.ts'
import { noteStorageFull } from './app/note-storage-full.ts'
import { withSpellings } from './app/people/stored-spellings.ts'
import { QuotaService } from './app/quotas/quota-service.ts'
import { cacheRecords } from './app/record-cache.ts'
import { noteInstants, RecordedInstants } from './app/recorded-instants.ts'
import type { VaultAccess } from './app/redaction/vault-access.ts'
import { SearchIndexer } from './app/search/indexer.ts'
import { Tenant, type TenantMemory } from './app/tenant.ts'
import { createTenantContexts } from './app/tenant-context.ts'
import { AuditVerifications } from './app/verify/audit-verifications.ts'
import { WebhookBacklog } from './app/webhooks/delivery-backlog.ts'
import type { Workers } from './app/workers.ts'
import { checkNodeVersion } from './config/node-version.ts'
import { checkIdentifier, checkKnownKeys } from './core/check.ts'
import { ColophonError, invalid } from './core/errors.ts'
import { limits } from './core/limits.ts'
import { checkTenantId } from './core/names.ts'
import type { Quotas } from './core/quotas/quota.ts'
import { parseRunKey } from './core/run/run.ts'
import { jobsOf, type TenantJobs } from './jobs/queue.ts'
import { Worker, type WorkerOptions } from './jobs/worker.ts'
import { createNodeRegistry } from './nodes/registry.ts'
import type { RunLogStatus } from './ports/run-store.ts'
import type { Storage, StorageTraits } from './ports/storage.ts'
import type { System } from './ports/system.ts'
import { timedStore } from './telemetry/timed-store.ts'

/** Options of `openColophon`: exactly one of `path`, `databaseUrl`, `storage` and `inMemory`, plus `actor`, `now` and `clockTrusted`. */
export type OpenOptions = {
  /** A SQLite database file, created if it does not exist. Needs no other service. */
  readonly path?: string
  /** A PostgreSQL server, `postgres://…`, which several processes can share. Needs the package `pg`. */
  readonly databaseUrl?: string
  /** An open storage adapter, such as from `openPostgres` of `colophon/postgres`. It is closed with the instance. */
  readonly storage?: Storage
  /** Stores everything in memory. Nothing is left after `close`. */
  readonly inMemory?: boolean
  /** The actor of calls that name none, for the audit. `library` by default. */
  readonly actor?: string
  /** The clock, in milliseconds since 1970; for tests. */
  readonly now?: () => number
  /**
   * Believes the clock whatever the records say: for one start after more than a year without a write, which is refused otherwise (`clock_ahead`), or for
   * tests that move the clock by years. What has expired is then compared with the clock alone.
   */
  readonly clockTrusted?: boolean
}

/**
 * An open Colophon instance, from `openColophon`. It is used for any number of tenants.
 *
 * @example
 * await using colophon = await openColophon({ path: 'memory.db' })
 * const memory = colophon.memory('acme')
 */
export interface Colophon extends AsyncDisposable {
  /** What the storage guarantees, such as `durable`. */
  readonly traits: StorageTraits
  /**
   * The memory of one tenant. A tenant is created by its first write.
   *
   * @example
   * const entry = await colophon.memory('acme').put('agents/concierge', { content: 'Ada prefers tea.' })
   */
  memory(tenantId: string): TenantMemory
  /**
   * The job queue of one tenant.
   *
   * @example
   * await colophon.jobs('acme').enqueue({ kind: 'send-mail', payload: { to: 'ada@example.com' } })
   */
  jobs(tenantId: string): TenantJobs
  /**
   * Starts a worker that runs due jobs of all tenants, until it is stopped or the instance is closed.
   *
   * @example
   * const worker = colophon.worker({ handlers: { 'send-mail': async ({ payload }) => sendMail(payload) } })
   * await worker.stop()
   */
  worker(options: WorkerOptions): Worker
  /** Stops the workers, waits for running writes, and closes the database. */
  close(): Promise<void>
}

/**
 * Opens a database and returns the instance to work with. Pending migrations are applied.
 *
 * @example
 * await using colophon = await openColophon({ path: 'memory.db' })
 * await colophon.memory('acme').put('agents/concierge', { content: 'Ada prefers tea.' })
 *
 * @example
 * // several processes on one PostgreSQL server
 * const colophon = await openColophon({ databaseUrl: 'postgres://localhost/colophon', actor: 'billing' })
 */
export async function openColophon(options: OpenOptions): Promise<Colophon> {
  checkNodeVersion()
  checkKnownKeys('options', options ?? null, [
    'path',
    'databaseUrl',
    'storage',
    'inMemory',
    'actor',
    'now',
    'clockTrusted',
  ])
  const { actor = 'library', now = Date.now, clockTrusted = false } = options
  checkIdentifier('actor', actor, 'actorCharactersMax', limits.actorCharactersMax)
  const storage = await openStorage(options, now)
  return composeColophon(storage, nodeSystem(now), actor, null, clockTrusted)
}

/** Builds an instance on an open storage adapter. The instance closes the adapter. */
export function composeColophon(
  storage: Storage,
  system: System,
  actor: string,
  vault: VaultAccess | null = null,
  isClockTrusted = false,
): Colophon {
  const { engine, close, workers } = composeEngine(storage, system, actor, vault, {}, {}, isClockTrusted)
  const openChecked = (tenantId: string) => {
    checkTenantId(tenantId)
    return engine.tenant(tenantId)
  }
  return {
    traits: storage.traits,
    memory(tenantId) {
      // Without the engine: a program may pass the handle to code that must not reach other tenants.
      const { engine: _engine, id: _id, reader: _reader, ...memory } = openChecked(tenantId)
      return memory
    },
    jobs: (tenantId) => jobsOf(openChecked(tenantId)),
    worker(options) {
      const worker = new Worker(engine, options, () => workers.delete(worker)).start()
      workers.add(worker)
      return worker
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/**
 * The composition root: creates the engine from its concrete parts, and the function that closes them in the right order. A server
 * passes host parts of its own.
 */
export function composeEngine(
  opened: Storage,
  system: System,
  actor: string,
  vault: VaultAccess | null,
  host: Partial<Host> = {},
  quotas: Partial<Quotas> = {},
  isClockTrusted = false,
) {
  const instants = new RecordedInstants(opened, system.now, isClockTrusted)
  const storage = noteInstants(withSpellings(cacheRecords(noteStorageFull(timedStore(opened)))), instants)
  const watch = new Watch((tenantIds) => storage.clocks(tenantIds))
  const runWatch = new Watch<RunLogStatus>((keys) => storage.runs.sequences(keys.map(parseRunKey)))
  const scanThreads = createScanThreads()
  const contextOf = createTenantContexts(storage, system, vault, scanThreads)
  const workers = new Set<Worker>()
  const indexer = new SearchIndexer(storage)
  const engine: Engine = {
    storage,
    system,
    vault,
    watch,
    runWatch,
    workers: workersOf(workers, system),
    credentials: new CredentialCache(storage),
    instants,
    quotas: new QuotaService(storage, quotas),
    indexer,
    scanThreads,
    contextOf,
    actor,
    // `this`, so that a copy of the engine with other parts creates tenants of that copy.
    tenant(id) {
      return new Tenant(this, id)
    },
    host: {
      nodes: createNodeRegistry(),
      runtimeCapabilities: [],
      extractor: createRulesExtractor(),
      summariser: createExtractiveSummariser(),
      model: null,
      embeddings: null,
      webhooks: null,
      webhookBacklog: new WebhookBacklog(),
      signer: null,
      upkeepCounters: new Counters(),
      endedRunCounters: new Counters(),
      compactionCounters: new Counters(),
      auditVerifications: new AuditVerifications(system.now()),
      ...host,
    },
  }
  const close = async (): Promise<void> => {
    await Promise.all([...workers].map((worker) => worker.stop()))
    workers.clear()
    await indexer.close()
    await engine.host.embeddings?.close()
    await scanThreads.close()
    await storage.close()
    // Last: readers that wait for changes then wake up and find the storage closed.
    watch.close()
    runWatch.close()
  }
  return { engine, close, workers }
}

/** The longest delay of a timer. Jobs that are due later are found by polling. */
const timerMsMax = 2_147_483_647

function workersOf(workers: ReadonlySet<Worker>, system: System): Workers {
  const wake = (kind?: string) => {
    for (const worker of workers) if (kind === undefined || worker.does(kind)) worker.wake()
  }
  let suspect: string | null = null
  return {
    wake,
    mayAttemptSuspect(jobId) {
      suspect ??= jobId
      return suspect === jobId
    },
    endSuspectAttempt(jobId) {
      if (suspect === jobId) suspect = null
    },
    wakeAt(instant) {
      const wait = instant - system.now()
      if (wait < timerMsMax) setTimeout(() => wake(), Math.max(wait, 0)).unref()
    },
    reserveSlot(tenantId, kind) {
      for (const worker of workers) {
        const slot = worker.adopt(tenantId, kind)
        if (slot) return slot
      }
      return null
    },
  }
}

/** Opens the storage that the options name. Drivers are imported on demand, so the package `pg` is needed for PostgreSQL only. */
export async function openStorage(
  options: OpenOptions,
  now: () => number,
  postgres: Omit<PostgresOptions, 'url' | 'now'> = {},
): Promise<Storage> {
  const { path, databaseUrl, storage, inMemory } = options
  const chosen = [path, databaseUrl, storage, inMemory || undefined].filter((choice) => choice !== undefined).length
  if (chosen !== 1) throw invalid('options', 'must name exactly one of path, databaseUrl, storage and inMemory')
  if (storage !== undefined) return storage
  if (path !== undefined) {
    if (typeof path !== 'string' || path === '') throw invalid('path', 'must be the name of a file')
    const { openSqlite } = await import('./adapters/sqlite/open.ts')
    return openSqlite({ path, now })
  }
  if (databaseUrl !== undefined) {
    if (typeof databaseUrl !== 'string' || !/^postgres(ql)?:\/\//.test(databaseUrl)) {
      throw invalid('databaseUrl', 'must start with postgres:// or postgresql://')
    }
    const { openPostgres } = await importPostgres()
    return openPostgres({ ...postgres, url: databaseUrl, now })
  }
  const { openInMemoryStore: openModel } = await import('./adapters/in-memory/open.ts')
  return openModel({ now })
}

async function importPostgres() {
  try {
    return await import('./adapters/postgres/open.ts')
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new ColophonError(
      'driver_missing',
      'PostgreSQL needs the package pg, which is not installed: npm install pg',
      { cause: error },
    )
  }
}
