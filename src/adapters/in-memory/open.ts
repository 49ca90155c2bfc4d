import { adminKeyOf } from '../../core/admin.ts'
import { repeatedOutcome } from '../../core/commit/idempotency.ts'
import { fullAccess, isAccessible } from '../../core/entries/access.ts'
import {
  currentView,
  isExpired,
  isOlder,
  isOwnWrite,
  isVisibleAt,
  lastRecordedFirst,
  newestFirst,
  type ReadView,
} from '../../core/entries/as-of.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { ColophonError } from '../../core/errors.ts'
import { firstUpTo } from '../../core/first-up-to.ts'
import type { Storage } from '../../ports/storage.ts'
import { commitToModel } from './commit.ts'
import { modelCompactions } from './compactions.ts'
import { modelSnapshot } from './database-snapshot.ts'
import { isShown, modelForget } from './forget.ts'
import { modelHistory } from './history.ts'
import { modelJobs } from './jobs.ts'
import { modelLog } from './log.ts'
import { isMatch } from './matching.ts'
import { modelPeople } from './people.ts'
import { modelProvenance, newestWithEnded } from './provenance.ts'
import { modelRuns } from './runs.ts'
import { modelSearch } from './search.ts'
import { modelStats } from './stats.ts'
import { newTenant, type TenantState } from './tenant-state.ts'
import { modelVectors } from './vectors.ts'

/**
 * The storage port in plain memory: its executable definition. It has no index and no shortcut, so that the
 * databases can be compared with it. Nothing of it survives the process, and its traits say so.
 */
export function openInMemoryStore(options: { now: () => number; tenants?: Map<string, TenantState> }): Storage {
  const { tenants = new Map<string, TenantState>() } = options
  let open = true
  const use = (): void => {
    if (!open) throw new ColophonError('closed', 'The store was closed.')
  }
  const list: Storage['list'] = async ({ tenantId, memoryRef, tag, view, now, before, limit }) => {
    use()
    const tenant = tenants.get(tenantId)
    const versions = inView(shownIn(tenant, memoryRef), view)
      .filter((row) => !isExpired(row, now) && isAccessible(row, view.access))
      .filter((row) => tag === null || row.tags.includes(tag))
      .filter((row) => before === null || isOlder(row, before))
      .sort(newestFirst)
      .slice(0, limit)
    return { position: view.position ?? tenant?.clock.position ?? 0, versions }
  }

  const versions: Storage['versions'] = async (tenantId, keys, filter, position) => {
    use()
    const found = keys.map((key) =>
      shownIn(tenants.get(tenantId), key.memoryRef).find(
        (row) => row.entryId === key.entryId && row.version === key.version,
      ),
    )
    return found.filter((row) => row !== undefined).filter(isMatch(tenants.get(tenantId), filter, position))
  }

  return {
    traits: { durable: false, sharedAcrossProcesses: false },
    jobs: modelJobs(tenants, use),
    runs: modelRuns(tenants, use),
    provenance: modelProvenance(tenants, use),
    history: modelHistory(tenants, use),
    compactions: modelCompactions(tenants, use),
    search: modelSearch(tenants, use),
    vectors: modelVectors(tenants, use, versions),
    stats: modelStats(tenants, use),
    forget: modelForget(tenants, use),
    log: modelLog(tenants, use),
    people: modelPeople(tenants, use),

    pressure: () => ({ commits: 0, commitsOverdue: 0, connections: null }),
    async isWritable() {
      use()
      return true
    },
    async ensureTenant(tenantId, fresh, at) {
      use()
      const tenant = tenants.get(tenantId) ?? newTenant(fresh, at)
      tenants.set(tenantId, tenant)
      return { ...tenant.secrets, createdAt: tenant.createdAt }
    },
    async clock(tenantId) {
      use()
      return tenants.get(tenantId)?.clock ?? null
    },
    async clocks(tenantIds) {
      use()
      return new Map(
        tenantIds.flatMap((id) => (tenants.has(id) ? [[id, tenants.get(id)?.clock.position ?? 0] as const] : [])),
      )
    },
    async commit(batch) {
      use()
      const tenant = tenants.get(batch.tenantId)
      if (!tenant) throw new ColophonError('tenant_unknown', 'The tenant does not exist.')
      return commitToModel(tenant, batch, options.now())
    },
    async outcome(tenantId, idempotency) {
      use()
      return repeatedOutcome(idempotency, (key) => tenants.get(tenantId)?.outcomes.get(key), options.now())
    },
    async get({ tenantId, memoryRef, entryId, view, now }) {
      use()
      const rows = shownIn(tenants.get(tenantId), memoryRef)
      const seen = inView(
        rows.filter((row) => row.entryId === entryId),
        view,
      )
      return seen.find((row) => !isExpired(row, now) && isAccessible(row, view.access)) ?? null
    },
    list,
    listShown: list,
    async listMatching({ tenantId, memoryRef, tag, view, includesEnded, now, before, limit, filter }) {
      use()
      const tenant = tenants.get(tenantId)
      const rows = shownIn(tenant, memoryRef)
      const versions = (includesEnded ? newestWithEnded(rows, view.position) : inView(rows, view))
        .filter((row) => !isExpired(row, now) && isAccessible(row, view.access))
        .filter((row) => tag === null || row.tags.includes(tag))
        .filter((row) => before === null || isOlder(row, before))
        .filter(isMatch(tenant, filter, view.position))
        .sort(newestFirst)
        .slice(0, limit)
      return { versions, examinedTo: null }
    },
    versions,
    async scanVersions({ tenantId, after, limit }) {
      use()
      const state = tenants.get(tenantId)
      return [...(state?.versions.keys() ?? [])]
        .flatMap((memoryRef) => shownIn(state, memoryRef))
        .sort((a, b) => (a.entryId === b.entryId ? a.version - b.version : a.entryId < b.entryId ? -1 : 1))
        .filter(
          (row) =>
            !after || row.entryId > after.entryId || (row.entryId === after.entryId && row.version > after.version),
        )
        .slice(0, limit)
    },
    async recentVersions({ tenantId, after, limit }) {
      use()
      const state = tenants.get(tenantId)
      return [...(state?.versions.keys() ?? [])]
        .flatMap((memoryRef) => shownIn(state, memoryRef))
        .filter((row) => after === null || lastRecordedFirst(after, row) < 0)
        .sort(lastRecordedFirst)
        .slice(0, limit)
    },
    async positionAt(tenantId, instant) {
      use()
      return tenants.get(tenantId)?.audit.findLast((row) => row.at <= instant)?.position ?? 0
    },
    async audit({ tenantId, from, to, limit, charactersMax }) {
      use()
      const rows = tenants.get(tenantId)?.audit ?? []
      const page = rows.filter((row) => row.position >= from && row.position <= to).slice(0, limit)
      return firstUpTo(page, ({ body }) => body.length, charactersMax)
    },
    async record(tenantId, kind, id) {
      use()
      return tenants.get(tenantId)?.records.get(adminKeyOf({ kind, id })) ?? null
    },
    async records({ tenantId, kind, after, limit }) {
      use()
      return [...(tenants.get(tenantId)?.records.values() ?? [])]
        .filter((record) => record.kind === kind && (after === null || record.id > after))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
    },
    async refs({ tenantId, after, now, limit, access = fullAccess }) {
      use()
      const state = tenants.get(tenantId)
      return [...(state?.versions.keys() ?? [])]
        .map((memoryRef) => ({
          memoryRef,
          live: inView(shownIn(state, memoryRef), currentView).filter(
            (row) => !isExpired(row, now) && isAccessible(row, access),
          ),
        }))
        .filter(({ memoryRef, live }) => live.length > 0 && (after === null || memoryRef > after))
        .map(({ memoryRef, live }) => ({
          memoryRef,
          entries: live.length,
          lastWriteAt: Math.max(...live.map((row) => row.createdAt)),
        }))
        .sort((a, b) => (a.memoryRef < b.memoryRef ? -1 : 1))
        .slice(0, limit)
    },
    async activeCredential(tenantId, kind, id) {
      use()
      const state = tenants.get(tenantId)
      const record = state?.status === 'active' ? state.records.get(adminKeyOf({ kind, id })) : undefined
      return state && record ? { ...record, lastCreatedAt: state.clock.lastCreatedAt } : null
    },
    async noteKeyUse(tenantId, keyId, at) {
      use()
      tenants.get(tenantId)?.keyUses.set(keyId, at)
    },
    async keyUses(tenantId, keyIds) {
      use()
      const uses = [...(tenants.get(tenantId)?.keyUses ?? [])]
      return new Map(uses.filter(([keyId]) => keyIds.includes(keyId)))
    },
    async tenant(tenantId) {
      use()
      const state = tenants.get(tenantId)
      if (state === undefined) return null
      const { status, createdAt, clock } = state
      return { tenantId, status, createdAt, lastCreatedAt: clock.lastCreatedAt }
    },
    async tenants({ after, limit }) {
      use()
      return [...tenants]
        .map(([tenantId, state]) => ({ tenantId, status: state.status, createdAt: state.createdAt }))
        .filter(({ tenantId }) => after === null || tenantId > after)
        .sort((a, b) => (a.tenantId < b.tenantId ? -1 : 1))
        .slice(0, limit)
    },
    async snapshot() {
      use()
      return modelSnapshot(tenants, use)
    },
    async close() {
      open = false
    },
  }
}

/** The versions of a ref that no fence hides. */
function shownIn(state: TenantState | undefined, memoryRef: string): EntryVersion[] {
  return state?.versions.get(memoryRef)?.filter((row) => isShown(state, row)) ?? []
}

/** One version per entry: the reader's own newest one, otherwise the one the position shows. */
function inView(rows: readonly EntryVersion[], view: ReadView): EntryVersion[] {
  const position = view.position ?? Number.MAX_SAFE_INTEGER
  const chosen = new Map<string, EntryVersion>()
  for (const row of rows) if (isVisibleAt(row, position)) chosen.set(row.entryId, row)
  for (const row of rows) if (isOwnWrite(row, view.own)) chosen.set(row.entryId, row)
  return [...chosen.values()]
}
