import { ColophonError } from '../../core/errors.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { mayRead } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { entriesOfEvent, mayReadEvent, readablePage } from './readable-claims.ts'

/** A memory that a source event stated. */
export type StatedMemory = {
  readonly id: string
  readonly memoryRef: string
  readonly claimId: string | null
  readonly status: 'active' | 'superseded'
}

/** Lists source events ordered by id: of one subject, of one service, or all. */
export function listSourceEvents(
  tenant: Tenant,
  query: { subject: string | null; service: string | null; after: string | null; limit: number },
): Promise<readonly SourceEventRecord[]> {
  const { after, limit, ...filter } = query
  return readablePage(
    { after, limit },
    (range) => tenant.storage.provenance.sourceEvents({ tenantId: tenant.id, ...filter, ...range }),
    ({ sourceEventId }) => sourceEventId,
    async (event) => ((await mayReadEvent(tenant, event)) ? event : null),
  )
}

async function findSource(tenant: Tenant, id: string): Promise<SourceEventRecord> {
  const event = id.length > 128 ? null : await tenant.storage.provenance.sourceEvent(tenant.id, id)
  if (event === null || !(await mayReadEvent(tenant, event)))
    throw new ColophonError('not_found', 'There is no such source event.')
  return event
}

/** Reads a source event with its messages, if they are still retained, and the memories that it stated. */
export async function getSourceEvent(
  tenant: Tenant,
  id: string,
): Promise<{ readonly event: SourceEventRecord; readonly memories: readonly StatedMemory[] }> {
  const event = await findSource(tenant, id)
  if (event.isErased) return { event, memories: [] }
  const entryIds = await entriesOfEvent(tenant, id)
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, entryIds)
  const memories = entries
    .filter(({ endedReason, readers }) => endedReason !== 'deleted' && mayRead(tenant, readers))
    .map(({ entryId, memoryRef, classification, endedPosition }) => ({
      id: entryId,
      memoryRef,
      claimId: classification?.claimId ?? null,
      status: endedPosition === null ? ('active' as const) : ('superseded' as const),
    }))
  return { event, memories }
}

/** Whether these are the messages that the service sent. It compares the hash, so it works after the messages were deleted too. */
export async function verifySourceEvent(
  tenant: Tenant,
  id: string,
  messages: unknown,
): Promise<{ readonly matches: boolean; readonly payloadHash: string }> {
  const { isErased, payloadHash } = await findSource(tenant, id)
  if (isErased) throw new ColophonError('source_event_erased', 'This event was forgotten, and its hash with it.')
  return { matches: hashPayload(messages) === payloadHash, payloadHash }
}

/**
 * The tombstone that replaces the id of a forgotten event. A retry of the same event is recognised by it. The digest is keyed, so the id
 * cannot be found by guessing.
 */
export function tombstoneOfEvent(digest: (text: string) => string, service: string, eventId: string): string {
  return `erased:${digest(`event.${service}\u0000${eventId}`)}`
}
