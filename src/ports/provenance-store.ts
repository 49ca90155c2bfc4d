import type { ReadAccess } from '../core/entries/access.ts'
import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { WriteExcerpt } from '../core/entries/entry-audit.ts'
import type { Trust } from '../core/entries/trust.ts'
import type { Assertion, ClaimRecord } from '../core/provenance/claim.ts'
import type { SourceEventRecord } from '../core/provenance/source-event.ts'

/** A source event as far as readers of a memory see it: without its messages, which may be long. */
export type SourceEventSummary = Pick<
  SourceEventRecord,
  | 'sourceEventId'
  | 'service'
  | 'eventId'
  | 'observedAt'
  | 'receivedAt'
  | 'payloadHash'
  | 'isHashPrivate'
  | 'scope'
  | 'evidence'
  | 'jobId'
  | 'actor'
  | 'readers'
>

/** A source event as far as a search for its author needs it. */
export type SourceEventHead = Pick<
  SourceEventRecord,
  'sourceEventId' | 'service' | 'agentId' | 'actor' | 'recordedPosition' | 'readers'
>

/** Reads source events, claims and assertions. `Storage.commit` writes them, together with the memories. */
export interface ProvenanceStore {
  /** Null when there is none. Of an erased event only the id, the service and the instants are left. */
  sourceEvent(tenantId: string, sourceEventId: string): Promise<SourceEventRecord | null>
  /** Several at once, in any order. Those that are not stored are left out. */
  sourceEventSummaries(tenantId: string, sourceEventIds: readonly string[]): Promise<readonly SourceEventSummary[]>
  /** By the id that its source service gave it. */
  sourceEventNamed(tenantId: string, service: string, eventId: string): Promise<SourceEventRecord | null>
  /** The events of several services that have this id there, in any order. Without their texts, as in `sourceEvents`. */
  sourceEventsNamed(
    tenantId: string,
    services: readonly string[],
    eventId: string,
  ): Promise<readonly SourceEventRecord[]>
  /** Events that have a service, newest first by id. Without their texts: the metadata and the messages that are kept are empty. */
  sourceEvents(query: {
    tenantId: string
    subject: string | null
    service: string | null
    after: string | null
    limit: number
  }): Promise<readonly SourceEventRecord[]>
  /** Every event that is not erased in order of id, without its texts. */
  sourceEventHeads(query: {
    tenantId: string
    after: string | null
    limit: number
  }): Promise<readonly SourceEventHead[]>
  /**
   * Events received before the instant whose messages are still kept, oldest first by id. After `pageCharactersMax` no
   * further event follows: only an empty page is the last one.
   */
  keptPayloads(query: {
    tenantId: string
    receivedBefore: number
    after: string | null
    limit: number
  }): Promise<readonly SourceEventRecord[]>

  /** Null when there is none. */
  claim(tenantId: string, claimId: string): Promise<ClaimRecord | null>
  /** Claims of a subject, or of all; contested, uncontested, or both; in order of id. */
  claims(query: {
    tenantId: string
    subject: string | null
    isContested: boolean | null
    after: string | null
    limit: number
  }): Promise<readonly ClaimRecord[]>
  /** The assertions of a claim, in order of their ordinal. */
  assertions(tenantId: string, claimId: string): Promise<readonly Assertion[]>
  /** Of several claims at once, each in order of ordinal. */
  assertionsOfClaims(tenantId: string, claimIds: readonly string[]): Promise<readonly Assertion[]>
  /** The assertions that one source event made, in its order. */
  assertionsOfEvent(tenantId: string, sourceEventId: string): Promise<readonly Assertion[]>

  /** When the commits at these positions were made, by position. */
  instants(tenantId: string, positions: readonly number[]): Promise<ReadonlyMap<number, number>>

  /**
   * For each write an excerpt of the audit record at its position, in the same order; null when there is none. `isNamed`: the body has
   * `name`, and first after the beginning of its list of written entries (`listOfWritten`).
   */
  writeExcerpts(
    tenantId: string,
    writes: readonly { readonly position: number; readonly name: string }[],
  ): Promise<readonly ((WriteExcerpt & { readonly at: number }) | null)[]>

  /** The newest version of each entry, ended or not. Entries that are not stored are left out. */
  newestVersions(tenantId: string, entryIds: readonly string[]): Promise<readonly EntryVersion[]>
  /** Every version of one entry, oldest first. */
  entryVersions(tenantId: string, entryId: string): Promise<readonly EntryVersion[]>
  /** Of several entries at once, each oldest first. */
  versionsOfEntries(tenantId: string, entryIds: readonly string[]): Promise<readonly EntryVersion[]>
  /**
   * The newest version of every entry of a ref that was recorded up to the position, superseded and archived entries
   * too; newest entry first.
   */
  listAll(query: {
    tenantId: string
    memoryRef: string
    position: number
    now: number
    access: ReadAccess
    before: Place | null
    limit: number
  }): Promise<readonly EntryVersion[]>
  /** The current entries of every ref whose class is below the floor, in order of id. */
  currentBelow(query: {
    tenantId: string
    floor: Trust
    now: number
    after: string | null
    limit: number
  }): Promise<readonly EntryVersion[]>
}
