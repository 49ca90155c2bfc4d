import type { EntryVersion, Place } from '../core/entries/entry.ts'
import type { Assertion, Claim } from '../core/provenance/claim.ts'
import type { SourceEvent } from '../core/provenance/source-event.ts'

/** A source event as far as readers of a memory are told about it. What was said in it may be long. */
export type Teller = Pick<
  SourceEvent,
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
>

/** Reads what services told and what became of it. It is written by `Storage.commit`, together with the memory. */
export interface ProvenanceStore {
  sourceEvent(tenantId: string, sourceEventId: string): Promise<SourceEvent | null>
  /** Several at once, in no order; those that do not exist are left out. */
  tellers(tenantId: string, sourceEventIds: readonly string[]): Promise<readonly Teller[]>
  /** By the name its writer gave it. */
  sourceEventNamed(tenantId: string, service: string, eventId: string): Promise<SourceEvent | null>
  /** Events of services, newest first by id. */
  sourceEvents(query: {
    tenantId: string
    subject: string | null
    service: string | null
    after: string | null
    limit: number
  }): Promise<readonly SourceEvent[]>
  /** Events received before the instant whose messages are still kept, oldest first by id. */
  keptPayloads(query: {
    tenantId: string
    receivedBefore: number
    after: string | null
    limit: number
  }): Promise<readonly SourceEvent[]>

  claim(tenantId: string, claimId: string): Promise<Claim | null>
  /** In order of id. */
  claims(query: {
    tenantId: string
    subject: string | null
    isContested: boolean | null
    after: string | null
    limit: number
  }): Promise<readonly Claim[]>
  /** In order of their place in the claim. */
  assertions(tenantId: string, claimId: string): Promise<readonly Assertion[]>
  /** Of several claims at once, each in order of their place. */
  assertionsOfClaims(tenantId: string, claimIds: readonly string[]): Promise<readonly Assertion[]>
  /** What one source event stated, in the order it stated it. */
  assertionsOfEvent(tenantId: string, sourceEventId: string): Promise<readonly Assertion[]>

  /** When the commits at these positions were made, by position. */
  instants(tenantId: string, positions: readonly number[]): Promise<ReadonlyMap<number, number>>

  /** The newest version of each entry; those that do not exist are left out. */
  newestVersions(tenantId: string, entryIds: readonly string[]): Promise<readonly EntryVersion[]>
  /** Every version of one entry, oldest first. */
  entryVersions(tenantId: string, entryId: string): Promise<readonly EntryVersion[]>
  /**
   * The newest version of every entry of a ref that was recorded up to the position, also of those that were superseded
   * or archived; newest entry first.
   */
  listAll(query: {
    tenantId: string
    memoryRef: string
    position: number
    now: number
    before: Place | null
    limit: number
  }): Promise<readonly EntryVersion[]>
}
