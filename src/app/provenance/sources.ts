import { ColophonError } from '../../core/errors.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { hashPayload } from '../../core/provenance/messages.ts'
import type { SourceEvent } from '../../core/provenance/source-event.ts'
import type { Tenant } from '../tenant.ts'

/** A memory that a source event stated. */
export type StatedMemory = {
  readonly id: string
  readonly memoryRef: string
  readonly claimId: string | null
  readonly status: 'active' | 'superseded'
}

export function listSources(
  tenant: Tenant,
  query: { subject: string | null; service: string | null; after: string | null; limit: number },
): Promise<readonly SourceEvent[]> {
  return tenant.storage.provenance.sourceEvents({ tenantId: tenant.id, ...query })
}

async function findSource(tenant: Tenant, id: string): Promise<SourceEvent> {
  const event = id.length > 128 ? null : await tenant.storage.provenance.sourceEvent(tenant.id, id)
  if (event === null) throw new ColophonError('not_found', 'There is no such source event.')
  return event
}

/** The event with its messages, as far as they are kept, and the memories that it stated. */
export async function getSource(
  tenant: Tenant,
  id: string,
): Promise<{ readonly event: SourceEvent; readonly memories: readonly StatedMemory[] }> {
  const event = await findSource(tenant, id)
  if (event.isErased) return { event, memories: [] }
  const assertions = await tenant.storage.provenance.assertionsOfEvent(tenant.id, id)
  const entryIds = [...new Set((await Promise.all(assertions.map((item) => entryOf(tenant, item)))).flat())]
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, entryIds)
  const memories = entries
    .filter(({ endedReason }) => endedReason !== 'deleted')
    .map(({ entryId, memoryRef, classification, endedPosition }) => ({
      id: entryId,
      memoryRef,
      claimId: classification?.claimId ?? null,
      status: endedPosition === null ? ('active' as const) : ('superseded' as const),
    }))
  return { event, memories }
}

/** The entry of what was stated; when it was too weak alone, the one that another source made of it. */
async function entryOf(tenant: Tenant, { claimId, contentKey, entryId }: Assertion): Promise<string[]> {
  if (entryId !== null) return [entryId]
  const all = await tenant.storage.provenance.assertions(tenant.id, claimId)
  return all.flatMap((item) => (item.contentKey === contentKey && item.entryId !== null ? [item.entryId] : []))
}

/** Whether these are the messages that were sent. Works as long as the hash is kept, also when the messages are gone. */
export async function verifySource(
  tenant: Tenant,
  id: string,
  messages: unknown,
): Promise<{ readonly matches: boolean; readonly payloadHash: string }> {
  const { isErased, payloadHash } = await findSource(tenant, id)
  if (isErased) throw new ColophonError('source_event_erased', 'The hash of this event was forgotten.')
  return { matches: hashPayload(messages) === payloadHash, payloadHash }
}
