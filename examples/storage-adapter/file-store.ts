/**
 * A storage adapter in one file: every tenant is one file in a folder. The rows live in memory, in the tables of the store
 * that `colophon/store` exports. A call that changes rows returns only after the file of the tenant was replaced on disk.
 * For one process at a time, and for tenants whose rows fit into memory: each change writes the whole file.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { type InMemoryTenant, openInMemoryStore, type Storage } from 'colophon/store'

type StoredTenant = { readonly tenantId: string; readonly rows: InMemoryTenant }

type Change = {
  readonly tenantId: string
  readonly apply: () => Promise<unknown>
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

export type FileStoreOptions = {
  readonly folder: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Whether a change waits for the disk. Without it, a power cut can lose acknowledged changes. */
  readonly fsync?: boolean
}

export function openFileStore({ folder, now = Date.now, fsync = true }: FileStoreOptions): Storage {
  mkdirSync(folder, { recursive: true })
  const tenants = new Map(readTenants(folder).map(({ tenantId, rows }) => [tenantId, rows]))
  const store = openInMemoryStore({ now, tenants })

  const waiting: Change[] = []

  /** Queues a change of one tenant. It resolves when the file of the tenant holds it. */
  function change<Result>(tenantId: string, apply: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push({ tenantId, apply, resolve: resolve as Change['resolve'], reject })
      if (waiting.length === 1) setImmediate(saveGroup)
    })
  }

  /**
   * Group commit: all changes that wait share one write per tenant. The store changes its rows before it returns a
   * promise, and nothing else runs until the files are written. So no reader sees a row that a crash could take back.
   */
  function saveGroup(): void {
    const group = waiting.splice(0).map((queued) => ({ ...queued, result: queued.apply() }))
    for (const tenantId of new Set(group.map((queued) => queued.tenantId))) {
      const own = group.filter((queued) => queued.tenantId === tenantId)
      try {
        save(tenantId)
        for (const { resolve, result } of own) resolve(result)
      } catch (error) {
        for (const { reject, result } of own) result.catch(() => {}).finally(() => reject(error))
      }
    }
  }

  function save(tenantId: string): void {
    const rows = tenants.get(tenantId)
    if (rows === undefined) return
    try {
      writeTenant(folder, { tenantId, rows }, fsync)
    } catch (error) {
      // The callers get the error, so their changes must not be readable either.
      const stored = readTenants(folder).find((tenant) => tenant.tenantId === tenantId)
      if (stored) tenants.set(tenantId, stored.rows)
      else tenants.delete(tenantId)
      throw error
    }
  }

  /** The same call, as a change of the tenant that its first argument names. */
  function saving<Args extends [tenantId: string, ...rest: unknown[]], Result>(
    call: (...args: Args) => Promise<Result>,
  ) {
    return (...args: Args): Promise<Result> => change(args[0], () => call(...args))
  }

  const { jobs, vectors, history, forget, log } = store
  return {
    ...store,
    traits: { durable: fsync, sharedAcrossProcesses: false },
    pressure: () => ({ commits: waiting.length, commitsOverdue: 0, connections: null }),
    commit: (batch) => change(batch.tenantId, () => store.commit(batch)),
    ensureTenant: saving(store.ensureTenant),
    noteKeyUse: saving(store.noteKeyUse),
    jobs: {
      ...jobs,
      async claim(query) {
        const claimed = await jobs.claim(query)
        // Which tenant it leased from is known only now. A crash before the write loses the lease, and its worker with it.
        if (claimed) await change(claimed.tenantId, async () => {})
        return claimed
      },
      update: saving(jobs.update),
      putSchedule: saving(jobs.putSchedule),
      removeSchedule: saving(jobs.removeSchedule),
      moveSchedule: saving(jobs.moveSchedule),
      fire: saving(jobs.fire),
    },
    vectors: {
      ...vectors,
      begin: saving(vectors.begin),
      reach: saving(vectors.reach),
      save: saving(vectors.save),
      removeOthers: saving(vectors.removeOthers),
    },
    history: {
      ...history,
      removeJobs: saving(history.removeJobs),
      removeOutcomes: (query) => change(query.tenantId, () => history.removeOutcomes(query)),
    },
    forget: {
      ...forget,
      removeOrphans: saving(forget.removeOrphans),
      // Every change replaces the file, so no file holds deleted rows. Blocks that the disk has freed still may.
      purge: async () => 'erased',
    },
    log: { ...log, saveTileRoots: saving(log.saveTileRoots) },
    // Behind the changes that wait.
    close: () => change('', store.close),
  }
}

function readTenants(folder: string): StoredTenant[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.tenant'))
  return files.map((name) => deserialize(readFileSync(join(folder, name))) as StoredTenant)
}

/** Writes a new file and gives it the name of the old one: after a crash one of the two is there, whole. */
function writeTenant(folder: string, tenant: StoredTenant, fsync: boolean): void {
  // A tenant id may be longer than a file name, and may differ from another one only in capitals.
  const path = join(folder, `${createHash('sha256').update(tenant.tenantId).digest('hex')}.tenant`)
  writeFileSync(`${path}.new`, serialize(tenant), { flush: fsync })
  renameSync(`${path}.new`, path)
  if (!fsync) return
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
