import {
  type StoredRow,
  type StoredRows,
  type StoredTable,
  type StoredTables,
  tagNameOf,
} from '../../ports/stored-rows.ts'
import type { TenantState } from './tenant-state.ts'

/** The model stores nothing twice: a tag is where its version is. */
export function modelStoredRows(tenants: ReadonlyMap<string, TenantState>): StoredRows {
  return {
    tagName: (_tenantId, memoryRef, tag) => tagNameOf(memoryRef, tag),
    async page(table, { tenantId, after, limit }) {
      const state = tenants.get(tenantId)
      if (state === undefined) return []
      const rows = rowsOf(state)[table]() as StoredRow<StoredTables[typeof table]>[]
      return rows
        .sort((a, b) => compareKeys(a.key, b.key))
        .filter(({ key }) => after === null || compareKeys(key, after) > 0)
        .slice(0, limit)
    },
  }
}

function rowsOf(state: TenantState): { readonly [Name in StoredTable]: () => StoredRow<StoredTables[Name]>[] } {
  const versions = () => [...state.versions.values()].flat()
  const runs = () => [...state.runs.values()]
  return {
    audit: () => state.audit.map((row) => ({ key: [row.position], row })),
    versions: () => versions().map((row) => ({ key: [row.entryId, row.version], row })),
    tags: () =>
      versions().flatMap(({ memoryRef, tags, createdPosition, ordinal, version, recordedPosition, endedPosition }) =>
        tags.map((tag) => ({
          key: [memoryRef, tag, createdPosition, ordinal, version],
          row: {
            ...{ name: tagNameOf(memoryRef, tag), createdPosition, ordinal, version },
            ...{ recordedPosition, endedPosition },
          },
        })),
      ),
    sourceEvents: () =>
      [...state.sourceEvents.values()].map(({ isErased, ...event }) => ({
        key: [event.sourceEventId],
        row: { event, erasedAt: isErased ? (state.erasedAt.get(event.sourceEventId) ?? event.receivedAt) : null },
      })),
    claims: () => [...state.claims.values()].map((row) => ({ key: [row.claimId], row })),
    assertions: () => state.assertions.map((row) => ({ key: [row.claimId, row.ordinal], row })),
    compactions: () =>
      [...state.compactions.values()].map(({ compaction }) => ({ key: [compaction.compactionId], row: compaction })),
    lineage: () =>
      [...state.compactions.values()].flatMap(({ compaction, sources }) =>
        sources.map((row, ordinal) => ({ key: [compaction.compactionId, ordinal], row })),
      ),
    runs: () => runs().map(({ run }) => ({ key: [run.runId], row: run })),
    runEvents: () =>
      runs().flatMap(({ run, events }) => events.map((row) => ({ key: [run.runId, row.sequence], row }))),
    runCalls: () => runs().flatMap(({ run, calls }) => calls.map((row) => ({ key: [run.runId, row.ordinal], row }))),
    records: () => [...state.records.values()].map((row) => ({ key: [row.kind, row.id], row })),
    fences: () =>
      mergedFences(state).map((row) => ({ key: [row.forgetId, row.kind, row.value, row.fromSequence], row })),
  }
}

/** The databases have one row for lines of the same beginning, the model has several. */
function mergedFences({ fences }: TenantState): StoredTables['fences'][] {
  const merged = new Map<string, StoredTables['fences']>()
  for (const fence of fences) {
    const key = JSON.stringify([fence.forgetId, fence.kind, fence.value, fence.fromSequence])
    const known = merged.get(key)
    merged.set(key, known ? { ...known, toSequence: Math.max(known.toSequence, fence.toSequence) } : fence)
  }
  return [...merged.values()]
}

function compareKeys(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [index, value] of a.entries()) {
    const other = b[index] as string | number
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}
