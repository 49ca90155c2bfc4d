import { parseAuditBody } from '../audit/audit.ts'
import { auditFormatVersion } from '../audit/audit-notes.ts'
import { contentDigest, versionDigest } from '../audit/row-digests.ts'
import type { AuditRow } from '../commit/batch.ts'
import type { EntryVersion } from './entry.ts'

/** What the audit says about stored versions: whether a record explains a version, and which actor wrote it. */

type VersionName = { readonly id: string; readonly version: number }

const names = (version: EntryVersion) => (note: VersionName) =>
  note.id === version.entryId && note.version === version.version

/** Whether the audit record at the digest position explains the version: it names the version with the digest of the stored row. */
export function isVersionRecorded(row: AuditRow | undefined, version: EntryVersion): boolean {
  if (row === undefined || row.position !== version.digestPosition) return false
  const { written = [], rewritten = [], v = 1 } = parseAuditBody(row)
  const note = [...rewritten, ...written].find(names(version))
  return note?.digest === (v >= auditFormatVersion ? versionDigest(version) : contentDigest(version))
}

/** Whether one of these records says that the version ended at its position with its reason. */
export function isEndingRecorded(rows: readonly (AuditRow | undefined)[], version: EntryVersion): boolean {
  const { endedPosition, endedReason, recordedPosition } = version
  return rows.some((row) => {
    if (row === undefined) return false
    const { ended = [], written = [], v = 1 } = parseAuditBody(row)
    if (row.position === endedPosition && ended.some((note) => names(version)(note) && note.reason === endedReason))
      return true
    const begun = written.find(names(version))
    // Records of the first format did not say that a version ended at the position where it began.
    if (v < auditFormatVersion)
      return begun !== undefined && (endedPosition === recordedPosition || row.position !== recordedPosition)
    return begun?.ended?.[0] === endedPosition && begun?.ended?.[1] === endedReason
  })
}

/** The actor of a commit that changed an entry or added an assertion to its claim; null when the record names neither. */
export function actorOfChange(row: AuditRow | undefined, { entryId, classification }: EntryVersion): string | null {
  if (row === undefined) return null
  const { actor, written = [], ended = [], rewritten = [], claims = [], imported } = parseAuditBody(row)
  const isNamed = [...written, ...ended, ...rewritten].some(({ id }) => id === entryId)
  const isClaimed = claims.some(({ id }) => id === classification?.claimId)
  return imported !== undefined || isNamed || isClaimed ? actor : null
}

/**
 * Whether only the audit record names the author of a version's text. The record of a later version names the client that changed its
 * tags or importance, or restored it: that client is not the author.
 */
export function isAuthorRecorded({ origin, version }: Pick<EntryVersion, 'origin' | 'version'>): boolean {
  const isOfRun = origin.kind === 'run' || origin.kind === 'session'
  return version === 1 && !isOfRun && !('keyId' in origin && origin.keyId !== undefined)
}

/** The actor of the commit that wrote an entry; null when the record does not name the entry. An imported position names no entries. */
export function actorOfWrite(row: AuditRow | undefined, entryId: string): string | null {
  if (row === undefined) return null
  const found = findActorOfWrite(row.body, entryId)
  if (found !== null) return found
  const { actor, written = [], imported } = parseAuditBody(row)
  return imported !== undefined || written.some(({ id }) => id === entryId) ? actor : null
}

/**
 * The same without parsing the whole body, which names thousands of entries after a large batch; null when it is not found so. Bodies
 * are canonical JSON: `actor` is the first member and `written` the last, and a quote within a value is escaped.
 */
function findActorOfWrite(body: string, entryId: string): string | null {
  const written = body.indexOf(listOfWritten)
  const isNamed = written >= 0 && body.includes(nameInList(entryId), written)
  return actorOfExcerpt({ head: body, isNamed })
}

/** Where the list of written entries begins in the body of a record. */
export const listOfWritten = ',"written":['

/** How that list names an entry. */
export function nameInList(entryId: string): string {
  return `,"id":${JSON.stringify(entryId)},"ref":"`
}

/** What a store reads of a record that may be long: its first characters, and whether the list of written entries names an entry. */
export type WriteExcerpt = { readonly head: string; readonly isNamed: boolean }

/** The actor of a write; null when the excerpt does not say it, and the whole record must be read. */
export function actorOfExcerpt({ head, isNamed }: WriteExcerpt): string | null {
  return isNamed ? (/^\{"actor":"([^"\\]*)"/.exec(head)?.[1] ?? null) : null
}
