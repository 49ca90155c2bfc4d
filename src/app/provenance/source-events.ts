import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { mayRead } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'
import { entriesOfEvent, mayReadEvent, readablePage } from './readable-claims.ts'
import { listWriters } from './writers.ts'

/** A memory that a source event stated. */
export type StatedMemory = {
  readonly id: string
  readonly memoryRef: string
  readonly claimId: string | null
  readonly status: 'active' | 'superseded'
}

/** Lists source events, newest first: of one subject, of one service, with one id of its service, or all. */
export function listSourceEvents(
  tenant: Tenant,
  query: {
    subject: string | null
    service: string | null
    eventId?: string | null
    after: string | null
    limit: number
  },
): Promise<readonly SourceEventRecord[]> {
  const { after, limit, eventId = null, ...filter } = query
  return readablePage(
    { after, limit },
    (range) =>
      eventId === null
        ? tenant.storage.provenance.sourceEvents({ tenantId: tenant.id, ...filter, ...range })
        : listNamed(tenant, eventId, filter, range),
    ({ sourceEventId }) => sourceEventId,
    async (event) => ((await mayReadEvent(tenant, event)) ? event : null),
  )
}

/** A page of the events with this id: each service has one at most. */
async function listNamed(
  tenant: Tenant,
  eventId: string,
  { subject, service }: { readonly subject: string | null; readonly service: string | null },
  { after, limit }: { readonly after: string | null; readonly limit: number },
): Promise<readonly SourceEventRecord[]> {
  const found = await findNamed(tenant, eventId, service)
  return found
    .filter((event) => (subject ?? event.subject) === event.subject)
    .filter(({ sourceEventId }) => after === null || sourceEventId < after)
    .sort((a, b) => (a.sourceEventId < b.sourceEventId ? 1 : -1))
    .slice(0, limit)
}

/** The events to which their services gave this id, without their texts. */
async function findNamed(tenant: Tenant, eventId: string, service: string | null) {
  if (eventId.length > limits.eventIdCharactersMax) return []
  // The source of an event is always a registered writer, and a writer is never removed.
  const services = service === null ? (await listWriters(tenant)).map(({ serviceKey }) => serviceKey) : [service]
  const found = await tenant.storage.provenance.sourceEventsNamed(tenant.id, services, eventId)
  return found.filter(({ isErased }) => !isErased)
}

/** The event with an id: the one that the host gave it, or the one that it has in its service. */
async function findSource(tenant: Tenant, id: string, service?: string): Promise<SourceEventRecord> {
  const { provenance } = tenant.storage
  const event = id.length > limits.eventIdCharactersMax ? null : await provenance.sourceEvent(tenant.id, id)
  if (event !== null && (service ?? event.service) === event.service && (await mayReadEvent(tenant, event)))
    return event
  const readable: SourceEventRecord[] = []
  for (const named of await findNamed(tenant, id, service ?? null))
    if (await mayReadEvent(tenant, named)) readable.push(named)
  if (readable.length > 1) throw ambiguous(readable)
  const [named] = readable
  const found = named && (await provenance.sourceEvent(tenant.id, named.sourceEventId))
  if (!found) throw new ColophonError('not_found', 'There is no such source event.')
  return found
}

function ambiguous(events: readonly SourceEventRecord[]): ColophonError {
  const services = events.flatMap(({ service }) => service ?? []).sort()
  const shown = services.slice(0, ambiguousShownMax)
  const more = services.length > shown.length ? ` and ${services.length - shown.length} more` : ''
  const message = `${services.length} services have an event with this id: ${shown.join(', ')}${more}.`
  return new ColophonError('source_event_ambiguous', message, { details: { field: 'source_service', services: shown } })
}

/** Services that the error about an ambiguous id names: enough to choose from, and a short message. */
const ambiguousShownMax = 20

/** Reads a source event with its messages, if they are still retained, and the memories that it stated. */
export async function getSourceEvent(
  tenant: Tenant,
  id: string,
  service?: string,
): Promise<{ readonly event: SourceEventRecord; readonly memories: readonly StatedMemory[] }> {
  const event = await findSource(tenant, id, service)
  if (event.isErased) return { event, memories: [] }
  const entryIds = await entriesOfEvent(tenant, event.sourceEventId)
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
  service?: string,
): Promise<{ readonly matches: boolean; readonly payloadHash: string }> {
  const { isErased, payloadHash } = await findSource(tenant, id, service)
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
