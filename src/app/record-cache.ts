import type { AdminKind, AdminRecord } from '../core/admin.ts'
import { mayChangeRecords } from '../core/commit/batch.ts'
import type { Storage } from '../ports/storage.ts'

type RecordQuery = Parameters<Storage['records']>[0]

/** Kinds that runs and source events read for every call, and that change seldom. */
const cachedKinds: ReadonlySet<AdminKind> = new Set<AdminKind>([
  'settings',
  'webhook',
  'workflow',
  'writer',
  'containment-state',
])

const tenantsMax = 1_000
const readsPerTenantMax = 1_000

/**
 * A storage whose administered records are read once. A commit that changes records of a tenant drops those of that tenant. Where other
 * processes can change them too, every read goes to the database: a run must not miss a webhook that was registered before it.
 */
export function cacheRecords(storage: Storage): Storage {
  if (storage.traits.sharedAcrossProcesses) return storage
  const tenants = new Map<string, Map<string, Promise<unknown>>>()

  const readsOf = (tenantId: string): Map<string, Promise<unknown>> => {
    const known = tenants.get(tenantId)
    if (known !== undefined) return known
    if (tenants.size >= tenantsMax) tenants.clear()
    const reads = new Map<string, Promise<unknown>>()
    tenants.set(tenantId, reads)
    return reads
  }

  /** A read that began before a change fills the map that the change dropped, so its result is not kept. Nor is a failure. */
  function readOnce<T>(tenantId: string, key: string, read: () => Promise<T>): Promise<T> {
    const reads = readsOf(tenantId)
    const known = reads.get(key)
    if (known !== undefined) return known as Promise<T>
    const reading = read()
    return reading.then((value) => {
      if (reads.size >= readsPerTenantMax) reads.clear()
      reads.set(key, reading)
      return value
    })
  }

  return {
    ...storage,
    record(tenantId: string, kind: AdminKind, id: string): Promise<AdminRecord | null> {
      const read = () => storage.record(tenantId, kind, id)
      return cachedKinds.has(kind) ? readOnce(tenantId, `${kind}\u0000${id}`, read) : read()
    },
    records(query: RecordQuery): Promise<readonly AdminRecord[]> {
      const { tenantId, kind, after, limit } = query
      const read = () => storage.records(query)
      // The first page only: a client can ask for any number of others.
      const isCached = cachedKinds.has(kind) && after === null
      return isCached ? readOnce(tenantId, `${kind}\u0000\u0000${limit}`, read) : read()
    },
    commit(batch) {
      const committing = storage.commit(batch)
      if (!mayChangeRecords(batch)) return committing
      // Also after a failure: the outcome of a commit can be unknown.
      return committing.finally(() => tenants.delete(batch.tenantId))
    },
  }
}
