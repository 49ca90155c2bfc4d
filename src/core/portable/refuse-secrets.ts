import type { Batch } from '../commit/batch.ts'
import { isHostTag } from '../entries/tags.ts'
import { refuseSecrets, type Scanner } from '../redaction/scanner.ts'

/** Refuses secrets in the names of an imported file. Any client can write a file, so ids that the host makes are scanned too. */
export function refuseSecretsInImport(
  { imported, admin }: Pick<Batch, 'imported' | 'admin'>,
  scan: Scanner,
  scanNames: Scanner,
): void {
  if (imported === undefined) return
  for (const { kind, body } of admin) {
    if (kind !== 'writer') continue
    const { writerId, changes } = (body?.facts ?? { changes: [] }) as {
      writerId: string
      changes: readonly { actor: string }[]
    }
    refuseSecrets({ writerId }, scanNames)
    for (const { actor } of changes) refuseSecrets({ actor }, scanNames)
  }
  refuseSecrets({ tenant: imported.source?.tenant }, scanNames)
  for (const { memoryRef, subject, origin, entryId, endedReason, classification, tags, readers } of imported.versions) {
    for (const reader of readers ?? []) refuseSecrets({ readers: reader }, scan)
    refuseSecrets({ memoryRef, subject, ...origin, claimKey: classification?.claimKey }, scan)
    refuseSecrets({ entryId, endedReason, claimId: classification?.claimId }, scanNames)
    refuseSecrets({ sourceEventId: classification?.sourceEventId, sessionId: classification?.sessionId }, scanNames)
    // Tags of the host are not redacted, and in a file they may contain any text.
    for (const tag of tags.filter(isHostTag)) refuseSecrets({ tags: tag }, scanNames)
  }
  for (const event of imported.sourceEvents) {
    const { subject, service, eventId, agentId, sourceEventId, payloadHash, jobId, actor, requestId } = event
    refuseSecrets({ subject, service, eventId, agentId }, scan)
    const readers = [event, ...(event.messages ?? [])].flatMap((each) => each.readers ?? [])
    for (const reader of new Set(readers)) refuseSecrets({ readers: reader }, scan)
    refuseSecrets({ sourceEventId, payloadHash, jobId, actor, requestId }, scanNames)
  }
  for (const { claim, assertions } of imported.claims) {
    refuseSecrets({ claimKey: claim.claimKey, subject: claim.subject }, scan)
    refuseSecrets({ claimId: claim.claimId, winner: claim.winner, pin: claim.pin?.contentKey }, scanNames)
    for (const { service, eventId, contentKey, sourceEventId, entryId } of assertions) {
      refuseSecrets({ service, eventId }, scan)
      refuseSecrets({ contentKey, sourceEventId, entryId }, scanNames)
    }
  }
  for (const { compaction, sources } of imported.compactions) {
    const { memoryRef, compactionId, outputId, runId, summariser } = compaction
    refuseSecrets({ memoryRef }, scan)
    refuseSecrets({ compactionId, outputId, runId, summariser }, scanNames)
    for (const { entryId } of sources) refuseSecrets({ entryId }, scanNames)
  }
}
