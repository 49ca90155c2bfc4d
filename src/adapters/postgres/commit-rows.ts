import type { AuditRow, SealedEnding } from '../../core/commit/batch.ts'
import type { StoredOutcome } from '../../core/commit/idempotency.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { auditTableRows } from '../sql/rows.ts'
import { versionRecord, writtenTypes } from '../sql/version-rows.ts'
import { firstTagKey, tagKeys } from './tag-rows.ts'

/** How the rows of a commit travel: as JSON that a statement reads as a table, or as a list for each column. */

export const numberedVersionTable = `(${writtenTypes}, nth integer)`
export const versionTable = `(${writtenTypes}, tag_keys json, following bigint)`

/** The versions of a ref: the number of the newest, and up to which positions their numbers might be out of order. */
export type RefScope = { readonly newest: number; readonly highestPosition: number; readonly unorderedTo: number }

/** New versions with their numbers in their refs, and those refs as they are afterwards. `scopes` has the refs that are stored. */
export function numberVersions(versions: readonly EntryVersion[], scopes: ReadonlyMap<string, RefScope>) {
  const after = new Map<string, RefScope>()
  const ordered = versions.toSorted((a, b) => a.recordedPosition - b.recordedPosition)
  const rows = ordered.map((version) => {
    const { memoryRef, recordedPosition } = version
    const before = after.get(memoryRef) ?? scopes.get(memoryRef) ?? { newest: 0, highestPosition: 0, unorderedTo: 0 }
    const { newest, highestPosition, unorderedTo } = before
    after.set(memoryRef, {
      newest: newest + 1,
      highestPosition: Math.max(highestPosition, recordedPosition),
      // Only an import stores earlier positions.
      unorderedTo: highestPosition > recordedPosition ? highestPosition : unorderedTo,
    })
    return { ...versionRecord(version), nth: newest + 1 }
  })
  const scoped = [...after.values()]
  return {
    rows: JSON.stringify(rows),
    scopeColumns: [
      [...after.keys()],
      scoped.map(({ newest }) => newest),
      scoped.map(({ highestPosition }) => highestPosition),
      scoped.map(({ unorderedTo }) => unorderedTo),
    ],
  }
}

/**
 * New versions, numbered in their refs by the order of their positions: `following` is how many of the group follow in the same ref, and
 * the columns are the refs with how many versions each gets, and the last position.
 */
export function versionRows(tenantId: string, versions: readonly EntryVersion[]) {
  const first = firstTagKey(tenantId)
  const scopes = new Map<string, { count: number; last: number }>()
  const ordered = versions.toSorted((a, b) => a.recordedPosition - b.recordedPosition)
  for (const { memoryRef, recordedPosition } of ordered) {
    const { count } = scopes.get(memoryRef) ?? { count: 0 }
    scopes.set(memoryRef, { count: count + 1, last: recordedPosition })
  }
  const left = new Map(Array.from(scopes, ([ref, { count }]) => [ref, count]))
  const rows = ordered.map((version) => {
    const following = (left.get(version.memoryRef) ?? 0) - 1
    left.set(version.memoryRef, following)
    return { ...versionRecord(version), tag_keys: tagKeys(first, version), following }
  })
  const counted = [...scopes.values()]
  return {
    rows: JSON.stringify(rows),
    refs: [...scopes.keys()],
    counts: counted.map(({ count }) => count),
    lasts: counted.map(({ last }) => last),
  }
}

/**
 * A row that another row of the statement names by its whole key. `offset 0` keeps the planner from joining the tables: without
 * statistics it takes a tenant to have few rows, and reads them all. An update then finds the row by its place (`ctid`), which no
 * other commit changes meanwhile: it would have moved the clock.
 */
export const rowByKey = (table: string, isKey: string) =>
  `lateral (select keyed.*, keyed.ctid from ${table} keyed where keyed.tenant_id = $1 and ${isKey} offset 0)`

export function endingColumns(endings: readonly SealedEnding[]) {
  return [
    endings.map((end) => end.memoryRef),
    endings.map((end) => end.entryId),
    endings.map((end) => end.version),
    endings.map((end) => end.endedPosition),
    endings.map((end) => end.endedReason),
  ]
}

export const auditRecord = `(${auditTableRows.types})`

export function auditRows(rows: readonly AuditRow[]) {
  return rows.map(auditTableRows.toRow)
}

export const outcomeRecord = '(key text, digest text, outcome text, created_at bigint)'

export function outcomeRows(outcomes: readonly { key: string; stored: StoredOutcome }[]) {
  return outcomes.map(({ key, stored }) => ({
    key,
    digest: stored.digest,
    outcome: JSON.stringify(stored.outcome),
    created_at: stored.createdAt,
  }))
}
