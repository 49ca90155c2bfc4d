import { parseBody } from '../audit/audit.ts'
import { auditForm } from '../audit/audit-notes.ts'
import { contentDigest, versionDigest } from '../audit/row-digests.ts'
import type { AuditRow } from '../commit/batch.ts'
import type { EntryVersion } from './entry.ts'

type VersionName = { readonly id: string; readonly version: number }

const names = (version: EntryVersion) => (note: VersionName) =>
  note.id === version.entryId && note.version === version.version

/** Whether the record at the version's digest position explains it: it names the version with the digest of what is stored. */
export function recordsVersion(row: AuditRow | undefined, version: EntryVersion): boolean {
  if (row === undefined || row.position !== version.digestPosition) return false
  const { written = [], rewritten = [], v = 1 } = parseBody(row)
  const note = [...rewritten, ...written].find(names(version))
  return note?.digest === (v >= auditForm ? versionDigest(version) : contentDigest(version))
}

/** Whether one of these records says that the version ended, where and why. */
export function recordsEnding(rows: readonly (AuditRow | undefined)[], version: EntryVersion): boolean {
  const { endedPosition, endedReason, recordedPosition } = version
  return rows.some((row) => {
    if (row === undefined) return false
    const { ended = [], written = [], v = 1 } = parseBody(row)
    if (row.position === endedPosition && ended.some((note) => names(version)(note) && note.reason === endedReason))
      return true
    const born = written.find(names(version))
    // Records without a form did not say of a version that it was over when it began.
    if (v < auditForm)
      return born !== undefined && (endedPosition === recordedPosition || row.position !== recordedPosition)
    return born?.ended?.[0] === endedPosition && born?.ended?.[1] === endedReason
  })
}

/** Who made a commit that changed an entry, or stated something for its claim; null when the record names neither. */
export function changerOf(row: AuditRow | undefined, { entryId, classification }: EntryVersion): string | null {
  if (row === undefined) return null
  const { actor, written = [], ended = [], rewritten = [], claims = [], imported } = parseBody(row)
  const isNamed = [...written, ...ended, ...rewritten].some(({ id }) => id === entryId)
  const isClaimed = claims.some(({ id }) => id === classification?.claimId)
  return imported !== undefined || isNamed || isClaimed ? actor : null
}

/**
 * Whether only the record of a version says who wrote its words. The record of a later version names the client that changed
 * its tags or importance, or brought it back: that is not the author.
 */
export function isAuthorRecorded({ origin, version }: Pick<EntryVersion, 'origin' | 'version'>): boolean {
  const isOfRun = origin.kind === 'run' || origin.kind === 'session'
  return version === 1 && !isOfRun && !('keyId' in origin && origin.keyId !== undefined)
}

/** Who made the commit that wrote an entry; null when the record does not name it. An imported position names no entries. */
export function writerOf(row: AuditRow | undefined, entryId: string): string | null {
  if (row === undefined) return null
  const { actor, written = [], imported } = parseBody(row)
  return imported !== undefined || written.some(({ id }) => id === entryId) ? actor : null
}
