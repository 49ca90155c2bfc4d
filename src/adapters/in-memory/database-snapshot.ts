import { firstUpTo } from '../../core/first-up-to.ts'
import type { StorageSnapshot } from '../../ports/database-snapshot.ts'
import { modelCompactions } from './compactions.ts'
import { firstEvents, modelProvenance } from './provenance.ts'
import { modelStoredRows } from './stored-rows.ts'
import type { TenantState } from './tenant-state.ts'

/** A copy of everything: nothing that happens later can reach it. */
export function modelSnapshot(tenants: ReadonlyMap<string, TenantState>, use: () => void): StorageSnapshot {
  const copy = structuredClone(tenants) as Map<string, TenantState>
  const provenance = modelProvenance(copy, use)
  const compactions = modelCompactions(copy, use)
  const eventsOf = (tenantId: string, about: string | null) =>
    [...(copy.get(tenantId)?.sourceEvents.values() ?? [])].filter(({ subject }) => about === null || subject === about)
  const versionsOf = (tenantId: string) => [...(copy.get(tenantId)?.versions.values() ?? [])].flat()
  return {
    rows: modelStoredRows(copy),
    claims: provenance.claims,
    assertions: provenance.assertions,
    assertionsOfClaims: provenance.assertionsOfClaims,
    compactions: compactions.list,
    compactionSources: compactions.sources,
    async tenant(tenantId) {
      const found = copy.get(tenantId)
      if (found === undefined) return null
      const { status, createdAt, clock } = found
      return { tenantId, status, createdAt, lastCreatedAt: clock.lastCreatedAt }
    },
    async clock(tenantId) {
      return copy.get(tenantId)?.clock ?? null
    },
    async scanVersions({ tenantId, after, limit }) {
      return versionsOf(tenantId)
        .sort((a, b) => (a.entryId === b.entryId ? a.version - b.version : a.entryId < b.entryId ? -1 : 1))
        .filter(
          (row) =>
            !after || row.entryId > after.entryId || (row.entryId === after.entryId && row.version > after.version),
        )
        .slice(0, limit)
    },
    async audit({ tenantId, from, to, limit, charactersMax }) {
      const rows = copy.get(tenantId)?.audit ?? []
      const page = rows.filter((row) => row.position >= from && row.position <= to).slice(0, limit)
      return firstUpTo(page, ({ body }) => body.length, charactersMax)
    },
    async records({ tenantId, kind, after, limit }) {
      return [...(copy.get(tenantId)?.records.values() ?? [])]
        .filter((record) => record.kind === kind && (after === null || record.id > after))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, limit)
    },
    async sourceEvents({ tenantId, about, after, limit }) {
      const found = eventsOf(tenantId, about)
        .filter(({ sourceEventId }) => after === null || sourceEventId > after)
        .sort((a, b) => (a.sourceEventId < b.sourceEventId ? -1 : 1))
      return firstEvents(found.slice(0, limit))
    },
    async counts(tenantId, { memoryRef, subject, about }) {
      const tenant = copy.get(tenantId)
      const isIn = (row: { memoryRef: string }) => memoryRef === null || row.memoryRef === memoryRef
      return {
        versions: versionsOf(tenantId).filter((row) => isIn(row) && (subject === null || row.subject === subject))
          .length,
        sourceEvents: eventsOf(tenantId, about).length,
        claims: [...(tenant?.claims.values() ?? [])].filter((claim) => about === null || claim.subject === about)
          .length,
        compactions: [...(tenant?.compactions.values() ?? [])].filter(({ compaction }) => isIn(compaction)).length,
      }
    },
    async close() {},
  }
}
