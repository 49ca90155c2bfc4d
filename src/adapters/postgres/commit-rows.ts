import type { AuditRow, SealedEnding } from '../../core/batch.ts'
import type { EntryVersion } from '../../core/entry.ts'
import type { StoredOutcome } from '../../core/idempotency.ts'
import { runOf } from '../rows.ts'

/** How the rows of a commit travel: as JSON that a statement reads as a table, or as a list for each column. */

export const versionRecord = `(
        memory_ref text, entry_id text, version bigint, content text, tags text, salt text, created_at bigint, expires_at bigint,
        created_position bigint, ordinal bigint, recorded_position bigint, ended_position bigint, ended_reason text,
        subject text, origin text, run_id text, run_sequence bigint, classification text, claim_id text,
        digest_position bigint, tag_list json, place bigint)`

export const versionFields = `memory_ref, entry_id, version, content, tags, salt, created_at, expires_at,
          created_position, ordinal, recorded_position, ended_position, ended_reason, subject, origin, run_id, run_sequence,
          classification, claim_id, digest_position`
export const tagColumns = 'memory_ref, tag, created_position, ordinal, version, recorded_position, ended_position'

export function versionRows(versions: readonly EntryVersion[]) {
  return versions.map((v) => {
    const { runId, runSequence } = runOf(v.origin)
    return {
      memory_ref: v.memoryRef,
      entry_id: v.entryId,
      version: v.version,
      content: v.content,
      tags: JSON.stringify(v.tags),
      tag_list: v.tags,
      salt: v.salt,
      created_at: v.createdAt,
      expires_at: v.expiresAt,
      created_position: v.createdPosition,
      ordinal: v.ordinal,
      recorded_position: v.recordedPosition,
      ended_position: v.endedPosition,
      ended_reason: v.endedReason,
      subject: v.subject,
      origin: JSON.stringify(v.origin),
      run_id: runId,
      run_sequence: runSequence,
      classification: v.classification && JSON.stringify(v.classification),
      claim_id: v.classification?.claimId ?? null,
      digest_position: v.digestPosition === v.recordedPosition ? null : v.digestPosition,
    }
  })
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

export const auditRecord = '(position bigint, at bigint, body text, hash text, refs text)'

export function auditRows(rows: readonly AuditRow[]) {
  return rows.map((row) => ({ ...row, refs: row.refs && JSON.stringify(row.refs) }))
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
