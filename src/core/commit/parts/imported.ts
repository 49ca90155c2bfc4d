import { toPositionNote } from '../../audit/audit-notes.ts'
import type { ImportedRows } from '../../portable/imported-rows.ts'
import { refuseSecretsInImport } from '../../portable/refuse-secrets.ts'
import { sealImportedClaims, sealImportedVersions } from '../../portable/seal-import.ts'
import type { AdminMembers } from './admin.ts'
import { type ClaimRows, redactClaim } from './claims.ts'
import type { CompactionRows } from './compactions.ts'
import { type EntryRows, newTextRedactor } from './entries.ts'
import type { AuditNotes, BatchPart } from './part.ts'
import { redactSource, type SourceEventRows } from './source-events.ts'

/** The import reads the writers that come with the same batch: they are in the file too. */
export type ImportMembers = AdminMembers & {
  /** Rows of another tenant's history, from an export. */
  readonly imported?: ImportedRows
}

export type ImportRows = {
  /** Added to a version's place in the batch: makes it unique among several batches at one position. */
  readonly placeFrom: number
}

type AddedTo = Pick<EntryRows, 'versions'> & ClaimRows & Pick<SourceEventRows, 'sourceEvents'> & CompactionRows

/** Rows that come with their history, added to those of the parts they belong to. `nextPosition` takes the clock through their positions. */
export const imported: BatchPart<ImportMembers, ImportRows, object, AddedTo> = {
  members: ['imported'],
  none: { admin: [] },
  noRows: { placeFrom: 0 },

  redact(batch, redaction) {
    if (batch.imported === undefined) return {}
    const { versions, sourceEvents, claims } = batch.imported
    return {
      imported: {
        ...batch.imported,
        versions: versions.map(newTextRedactor(redaction)),
        sourceEvents: sourceEvents.map((event) => redactSource(event, redaction.inField)),
        claims: claims.map((claim) => redactClaim(claim, redaction)),
      },
    }
  },

  refuseSecrets: (batch, { scan, scanNames }) => refuseSecretsInImport(batch, scan, scanNames),

  seal({ imported: rows }, _state, { position }, before) {
    if (rows === undefined) return { placeFrom: 0 }
    return {
      placeFrom: rows.firstLine,
      versions: [...before.versions, ...sealImportedVersions(rows, position)],
      claims: [...before.claims, ...sealImportedClaims(rows)],
      sourceEvents: [...before.sourceEvents, ...rows.sourceEvents],
      compactions: [...before.compactions, ...rows.compactions],
    }
  },

  takesPosition: (_rows, batch) => (batch.imported?.positions.length ?? 0) > 0,

  audit: (_rows, batch) => importNote(batch.imported),
}

function importNote(rows: ImportedRows | undefined): AuditNotes {
  const last = rows?.positions.at(-1)
  if (last !== undefined) return { imported: toPositionNote(last) }
  if (rows?.source === undefined) return {}
  const { head, position, signature, tenant } = rows.source
  const { keyId, status } = signature
  const signed = keyId === undefined ? { status } : { keyId, status }
  return { importedFrom: { head, position, signature: signed, tenant } }
}
