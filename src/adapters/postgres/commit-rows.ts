import type { AuditRow, SealedEnding } from '../../core/commit/batch.ts'
import type { StoredOutcome } from '../../core/commit/idempotency.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { auditTableRows } from '../sql/rows.ts'
import { versionRecord, writtenTypes } from '../sql/version-rows.ts'

/** How the rows of a commit travel: as JSON that a statement reads as a table, or as a list for each column. */

export const versionTable = `(${writtenTypes}, tag_list json, place bigint)`
export const tagColumns = 'memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position'

export function versionRows(versions: readonly EntryVersion[]) {
  return versions.map((version) => ({ ...versionRecord(version), tag_list: version.tags }))
}

export function endingColumns(endings: readonly SealedEnding[]) {
  return [
    endings.map((end) => end.memoryRef),
    endings.map((end) => end.entryId),
    endings.map((end) => end.version),
    endings.map((end) => end.endedPosition),
    endings.map((end) => end.endedReason),
  ]
}

export function endingTagColumns(endings: readonly SealedEnding[]) {
  const tags = endings.flatMap((end) => end.tags.map((tag) => ({ ...end, tag })))
  return [
    tags.map((end) => end.memoryRef),
    tags.map((end) => end.tag),
    tags.map((end) => end.createdPosition),
    tags.map((end) => end.ordinal),
    tags.map((end) => end.version),
    tags.map((end) => end.endedPosition),
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
