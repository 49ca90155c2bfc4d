import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { genesisHash } from '../../core/audit/audit.ts'
import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { SearchStore } from '../../ports/search-store.ts'
import type { Storage } from '../../ports/storage.ts'
import { GroupCommit } from '../sql/group-commit.ts'
import { createAdminStore, createRefList } from './admin.ts'
import { createCheckpoints, logPagesMax } from './checkpoints.ts'
import { createCodeCache } from './code-cache.ts'
import { createCommitter } from './commit.ts'
import { createCompactionStore } from './compactions.ts'
import { openSnapshot } from './database-snapshot.ts'
import { createErasurePace } from './erasure-pace.ts'
import { toStorageError, withStorageErrors } from './errors.ts'
import { createForgetStore } from './forget.ts'
import { createHistoryStore } from './history.ts'
import { createJobStore, createJobTable } from './jobs.ts'
import { createLogStore } from './log.ts'
import { migrateSqlite, pendingIn } from './migrate.ts'
import { createPeopleStore } from './people.ts'
import { createPostingCache } from './posting-cache.ts'
import { prepareOnUse } from './prepare-on-use.ts'
import { createProvenanceStore } from './provenance.ts'
import { createReader } from './read.ts'
import { createRunStore } from './runs.ts'
import { createScans } from './scans.ts'
import { createSearchStore } from './search.ts'
import { checkIndexRules, createSearchTable, mergeStepsMax } from './search-table.ts'
import { createStatsStore } from './stats.ts'
import { createTurnLimit } from './turn-limit.ts'
import { createVectorStore, createVectorTable } from './vectors.ts'

export type SqliteOptions = {
  /** The database file; it and its folder are made when they are missing. */
  readonly path: string
  readonly now: () => number
  /** For tests of a full disk. */
  readonly pagesMax?: number
  /** For tests of a file that can no longer be written. */
  readonly isReadOnly?: boolean
  /** For tests of the search in a ref with many vectors. */
  readonly exactVectorsMax?: number
}

/** SQLite waits on the caller's thread, so not for long. */
const busyTimeoutMs = 2_000

/** Address space, not memory: how much of the file the reader may map. */
const mappedBytesMax = 1_073_741_824

/** KiB of pages that the writer keeps in memory: with the 2 MB of SQLite's default, a large file is read again for every commit. */
const writerCacheKib = 8_192

/** One file, one writer connection, one reader connection: readers never wait for the writer (WAL). */
export function openSqlite(options: SqliteOptions): Storage {
  return withStorageErrors(() => open(options))
}

function open({ path, now, pagesMax, isReadOnly = false, exactVectorsMax }: SqliteOptions): Storage {
  makeFolder(dirname(path))
  const isNew = !existsSync(path)
  const writer = new Database(path, { timeout: busyTimeoutMs })
  let reader: Database.Database
  try {
    if (isNew) chmodSync(path, 0o600)
    // First of all: a database that is refused stays as it is, and a change of the journal mode would rewrite its header.
    pendingIn(writer)
    useWriteAheadLog(writer)
    // An acknowledged write survives a power cut; group commit pays for it.
    writer.pragma('synchronous = full')
    // Deleted content is overwritten, and never copied to a temporary file.
    writer.pragma('secure_delete = on')
    writer.pragma('temp_store = memory')
    // A last resort: `checkpoints` copies the log long before.
    writer.pragma(`wal_autocheckpoint = ${logPagesMax}`)
    writer.pragma(`cache_size = -${writerCacheKib}`)
    if (pagesMax !== undefined) writer.pragma(`max_page_count = ${pagesMax}`)
    migrateSqlite(writer, now())
    checkIndexRules(writer)
    if (isReadOnly) writer.pragma('query_only = on')
    reader = new Database(path, { timeout: busyTimeoutMs, readonly: true })
    reader.pragma('temp_store = memory')
    // Reads use the system's page cache directly: after each commit SQLite drops the reader's own.
    reader.pragma(`mmap_size = ${mappedBytesMax}`)
  } catch (error) {
    writer.close()
    throw error
  }

  prepareOnUse(writer)
  prepareOnUse(reader)
  let isOpen = true
  const use = (): void => {
    if (!isOpen) throw new ColophonError('closed', 'The store was closed.')
  }
  const read = createReader(reader)
  const codes = createCodeCache(reader, writer, (work) => answer(work))
  const postings = createPostingCache(writer)
  const tables = {
    jobs: createJobTable(writer),
    search: createSearchTable(writer, postings),
    vectors: createVectorTable(writer, codes),
  }
  const { commitGroup, outcome } = createCommitter(writer, tables, now)
  const scans = createScans(reader, path)
  const usedUp = createTurnLimit()
  const checkpoints = createCheckpoints(writer, scans)
  const erasurePace = createErasurePace()
  const group = new GroupCommit({
    queueOf: () => '',
    run(batches, characters) {
      const settled = erasurePace.run(batches, () => commitGroup(batches))
      checkpoints.noteCommit(characters)
      return settled
    },
    gatherTurns: limits.commitGatherTurns,
    waitsFor: () => checkpoints.held() ?? usedUp(),
  })
  /** For stores that write by themselves, in small transactions. */
  const useWriter = (): void => {
    use()
    checkpoints.noteCommit(0)
  }
  const tenantStatements = prepareTenants(writer)
  const takesWrites = prepareWriteProbe(writer)
  /** Runs a synchronous read and gives failures our codes. */
  const answer = async <T>(work: () => T): Promise<T> => {
    for (let turn = usedUp(); turn !== undefined; turn = usedUp()) await turn
    use()
    return withStorageErrors(work)
  }
  /** The same for stores that write too. */
  const answerWriter = async <T>(work: () => T): Promise<T> => {
    const answered = await answer(work)
    checkpoints.noteCommit(0)
    return answered
  }
  const index: SearchStore['index'] = async (...args) => {
    // Not in the timer phase of a turn, whose other phases may commit a large batch.
    await yieldToEventLoop()
    await checkpoints.held()
    const rows = await answer(() => tables.search.index(...args))
    checkpoints.noteCommit(limits.searchIndexCharactersMax)
    // What is left is merged after the next steps: a search and a stop wait for this one.
    for (let step = 0; rows > 0 && step < mergeStepsMax; step++) {
      if (!(await answerWriter(() => tables.search.merge()))) break
    }
    return rows
  }
  const versions: Storage['versions'] = (...asked) => answer(() => read.versions(...asked))
  const listMatching: Storage['listMatching'] = (query) => answer(() => read.listMatching(query))

  return {
    traits: { durable: true, sharedAcrossProcesses: false },
    jobs: createJobStore(writer, tables.jobs, useWriter),
    runs: createRunStore(reader, answer),
    provenance: createProvenanceStore(reader, answer),
    compactions: createCompactionStore(reader, answer),
    search: createSearchStore(reader, postings, index, answer),
    vectors: createVectorStore({
      ...{ reader, writer, codes, answer: answerWriter, read: { versions, listMatching } },
      exactMax: exactVectorsMax ?? limits.searchExactVectorsMax,
    }),
    history: createHistoryStore(reader, writer, answerWriter),
    stats: createStatsStore(reader, scans, answer),
    forget: createForgetStore({
      ...{ reader, writer, scans, path, answer: answerWriter, postings },
      entriesPerCommit: erasurePace.entries,
    }),
    log: createLogStore(reader, writer, answerWriter),
    people: createPeopleStore(reader, answer),
    pressure: () => ({ commits: group.queued, commitsOverdue: 0, connections: null }),
    isWritable: () => answer(takesWrites),
    ensureTenant: (tenantId, fresh, at) => answerWriter(() => tenantStatements(tenantId, fresh.macKey, at)),
    clock: (tenantId) => answer(() => read.clock(tenantId)),
    clocks: (tenantIds) =>
      answer(
        () =>
          new Map(
            tenantIds.flatMap((id) => {
              const clock = read.clock(id)
              return clock ? [[id, clock.position] as const] : []
            }),
          ),
      ),
    commit: (batch) => group.commit(batch),
    outcome: (tenantId, idempotency) => answer(() => outcome(tenantId, idempotency)),
    get: (query) => answer(() => read.get(query)),
    list: (query) => answer(() => read.list(query)),
    listShown: (query) => answer(() => read.listShown(query)),
    listMatching,
    versions,
    scanVersions: (query) => answer(() => read.scanVersions(query)),
    recentVersions: (query) => answer(() => read.recentVersions(query)),
    positionAt: (tenantId, instant) => answer(() => read.positionAt(tenantId, instant)),
    audit: (query) => answer(() => read.audit(query)),
    ...createAdminStore(reader, writer, answerWriter),
    ...createRefList(scans),
    snapshot: () => answer(() => openSnapshot(path, answer)),
    async close() {
      if (!isOpen) return
      await group.close()
      isOpen = false
      await scans.close()
      reader.close()
      try {
        writer.close()
      } catch (error) {
        throw toStorageError(error)
      }
    },
  }
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const code = String((error as { code?: unknown }).code)
    const kind = ['EACCES', 'EPERM', 'EROFS'].includes(code) ? 'storage_read_only' : 'storage_unavailable'
    throw new ColophonError(kind, 'The folder of the database cannot be made.', {
      cause: error,
      details: { system: code },
    })
  }
}

/** Changing the journal mode needs the file alone and does not wait for it: of two processes that start together one gets "busy" at once. */
function useWriteAheadLog(db: Database.Database): void {
  const deadline = Date.now() + busyTimeoutMs
  for (;;) {
    try {
      db.pragma('journal_mode = wal')
      return
    } catch (error) {
      const isBusy = String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY')
      if (!isBusy || Date.now() > deadline) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
  }
}

/** A write that changes no row: it acquires the write lock, and costs no flush. */
function prepareWriteProbe(db: Database.Database): () => boolean {
  const probe = db.prepare('update tenant set created_at = created_at where tenant_id is null')
  return () => {
    try {
      probe.run()
      return true
    } catch (error) {
      const failure = toStorageError(error)
      if (isColophonError(failure, 'storage_read_only')) return false
      // Another process writes at this moment, so the file accepts writes.
      if (isColophonError(failure, 'storage_busy')) return true
      throw failure
    }
  }
}

function prepareTenants(db: Database.Database) {
  const select = db.prepare('select mac_key as "macKey", created_at as "createdAt" from tenant where tenant_id = ?')
  const insertTenant = db.prepare(
    'insert into tenant (tenant_id, mac_key, created_at) values (?, ?, ?) on conflict do nothing',
  )
  const insertClock = db.prepare(`
    insert into tenant_clock (tenant_id, position, last_hash, last_created_at, redaction_version)
    values (?, 0, ?, 0, 1)
        on conflict do nothing`)
  const ensure = db.transaction((tenantId: string, macKey: Uint8Array, at: number) => {
    insertTenant.run(tenantId, macKey, at)
    insertClock.run(tenantId, genesisHash)
  })
  const stored = (tenantId: string) => select.get(tenantId) as { macKey: Uint8Array; createdAt: number } | undefined
  return (tenantId: string, macKey: Uint8Array, at: number) => {
    const known = stored(tenantId)
    if (known) return known
    ensure.immediate(tenantId, macKey, at)
    return stored(tenantId) ?? { macKey, createdAt: at }
  }
}
