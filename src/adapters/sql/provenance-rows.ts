import { withoutEmptyMarks } from '../../core/provenance/assertions-after.ts'
import type { Assertion, ClaimRecord } from '../../core/provenance/claim.ts'
import type { ContainmentMarks } from '../../core/provenance/claim-step.ts'
import { confidenceKeptMin } from '../../core/provenance/resolve-conflict.ts'
import { erasedSource, type SourceEventRecord, type SourceRewrite } from '../../core/provenance/source-event.ts'
import type { SourceEventHead } from '../../ports/provenance-store.ts'
import { type Row, rowCodec } from './row-codec.ts'

/** Rows of source events, claims and assertions as both databases store them. */

type StoredSourceEvent = Omit<SourceEventRecord, 'isErased' | 'isHeldUp'>

export const sourceEventRows = rowCodec<StoredSourceEvent>({
  sourceEventId: 'text',
  service: 'text',
  eventId: 'text',
  subject: 'text',
  agentId: 'text',
  infer: 'flag',
  observedAt: 'bigint',
  receivedAt: 'bigint',
  payloadHash: 'text',
  isHashPrivate: 'flag',
  salt: 'text',
  jobId: 'text',
  actor: 'text',
  requestId: 'text',
  trust: 'text',
  readers: 'json',
  recordedPosition: 'bigint',
  scope: 'json',
  evidence: 'json',
  metadata: 'document',
  messages: 'json',
})

export const sourceEventHeadRows = rowCodec<SourceEventHead>({
  sourceEventId: 'text',
  service: 'text',
  agentId: 'text',
  actor: 'text',
  recordedPosition: 'bigint',
  readers: 'json',
})

/** The same columns, without those that may be long and that readers of a memory do not see. Of messages that are kept, an empty list. */
export const withoutWords = (columns: string) =>
  columns.replace(
    ' metadata, messages',
    " '{}' as metadata, case when messages is null then null else '[]' end as messages",
  )

/** The fence of the adapter computes `is_erased` and `is_held_up`. */
export function toSourceEvent(row: Row): SourceEventRecord {
  const event: SourceEventRecord = sourceEventRows.fromRow(row)
  const read = row.is_held_up === 1 ? { ...event, isHeldUp: true as const } : event
  return row.is_erased === 1 ? erasedSource(read) : read
}

export const sourceRewriteRows = rowCodec<
  Pick<
    SourceRewrite,
    'sourceEventId' | 'isHashPrivate' | 'salt' | 'readers' | 'scope' | 'evidence' | 'metadata' | 'messages'
  >
>({
  sourceEventId: 'text',
  isHashPrivate: 'flag',
  salt: 'text',
  readers: 'json',
  scope: 'json',
  evidence: 'json',
  metadata: 'document',
  messages: 'json',
})

export const claimRows = rowCodec<ClaimRecord>({
  claimId: 'text',
  revision: 'bigint',
  subject: 'text',
  category: 'text',
  claimKey: 'text',
  winner: 'text',
  isContested: 'flag',
  pin: 'json',
  updatedPosition: 'bigint',
})

export const assertionRows = rowCodec<Omit<Assertion, 'isKeptAlone' | 'actor'>>({
  claimId: 'text',
  ordinal: 'bigint',
  sourceEventId: 'text',
  candidate: 'bigint',
  service: 'text',
  eventId: 'text',
  content: 'text',
  contentKey: 'text',
  importance: 'bigint',
  confidence: 'real',
  priority: 'bigint',
  observedAt: 'bigint',
  trust: 'text',
  entryId: 'text',
  recordedPosition: 'bigint',
  withdrawnPosition: 'bigint',
  containedBy: 'json',
  withdrawalContainedBy: 'json',
  seal: 'text',
})

export const markRows = rowCodec<ContainmentMarks>({
  ordinal: 'bigint',
  containedBy: 'json',
  withdrawalContainedBy: 'json',
})

/**
 * Who made the call, and whether it asked for a reading of its words, are facts of the source event, and are read from there. An erased
 * event has an empty actor.
 */
export const actorOfAssertion = (tenant: string) => `
       (select nullif(e.actor, '')
          from source_event e
         where e.tenant_id = ${tenant}
           and e.source_event_id = assertion.source_event_id) as actor,
       case when entry_id is not null and confidence < ${confidenceKeptMin}
            then (select e.infer
                    from source_event e
                   where e.tenant_id = ${tenant}
                     and e.source_event_id = assertion.source_event_id)
        end as is_reading`

export function toAssertion(row: Row): Assertion {
  return {
    ...withoutEmptyMarks(assertionRows.fromRow(row)),
    actor: (row.actor as string | null) ?? null,
    ...(row.is_reading === 0 ? { isKeptAlone: true } : {}),
  }
}
