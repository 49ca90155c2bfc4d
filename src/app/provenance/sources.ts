import { checkKnownKeys, toInstant } from '../../core/check.ts'
import { ColophonError } from '../../core/errors.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { hashPayload } from '../../core/provenance/parse-add.ts'
import type { SourceEvent } from '../../core/provenance/source-event.ts'
import type { Tenant } from '../tenant.ts'

type ErasedSource = {
  readonly id: string
  readonly service: string | null
  readonly received_at: string
  readonly erased: true
}

type SourceView = ErasedSource | ReturnType<typeof toFullView>

/** A source event as the audit of sources shows it; of one that was forgotten, that it was there. */
export function toSourceView(event: SourceEvent): SourceView {
  return event.isErased ? toErasedView(event) : toFullView(event)
}

function toErasedView({ sourceEventId: id, service, receivedAt }: SourceEvent): ErasedSource {
  return { id, service, received_at: toInstant(receivedAt), erased: true }
}

function toFullView(event: SourceEvent) {
  return {
    id: event.sourceEventId,
    service: event.service,
    event_id: event.eventId,
    external_user_id: event.subject,
    agent_id: event.agentId,
    observed_at: toInstant(event.observedAt),
    received_at: toInstant(event.receivedAt),
    payload_hash: event.payloadHash,
    extraction_job_id: event.jobId,
    evidence_refs: event.evidence ?? [],
    scope: event.scope,
    payload_state: event.messages === null ? 'redacted' : 'stored',
  }
}

async function findSource(tenant: Tenant, id: string): Promise<SourceEvent> {
  const event = id.length > 128 ? null : await tenant.storage.provenance.sourceEvent(tenant.id, id)
  if (event === null) throw new ColophonError('not_found', 'There is no such source event.')
  return event
}

/** The event with its messages, as far as they are kept, and what became of it. */
export async function getSource(tenant: Tenant, id: string) {
  const event = await findSource(tenant, id)
  if (event.isErased) return toErasedView(event)
  const assertions = await tenant.storage.provenance.assertionsOfEvent(tenant.id, id)
  const entryIds = [...new Set((await Promise.all(assertions.map((item) => entryOf(tenant, item)))).flat())]
  const entries = await tenant.storage.provenance.newestVersions(tenant.id, entryIds)
  return {
    ...toFullView(event),
    payload: event.messages === null ? { messages_redacted: true } : { messages: event.messages },
    memories: entries
      .filter(({ endedReason }) => endedReason !== 'deleted')
      .map(({ entryId, memoryRef, classification, endedPosition }) => ({
        id: entryId,
        memory_ref: memoryRef,
        claim_id: classification?.claimId ?? null,
        status: endedPosition === null ? 'active' : 'superseded',
      })),
  }
}

/** The entry of what was stated; when it was too weak alone, the one that another source made of it. */
async function entryOf(tenant: Tenant, { claimId, contentKey, entryId }: Assertion): Promise<string[]> {
  if (entryId !== null) return [entryId]
  const all = await tenant.storage.provenance.assertions(tenant.id, claimId)
  return all.flatMap((item) => (item.contentKey === contentKey && item.entryId !== null ? [item.entryId] : []))
}

/** Whether these are the messages that were told. Works as long as the hash is there, also when the messages are gone. */
export async function verifySource(tenant: Tenant, id: string, body: Readonly<Record<string, unknown>>) {
  checkKnownKeys('body', body, ['messages'])
  const event = await findSource(tenant, id)
  if (event.isErased) throw new ColophonError('source_event_erased', 'The hash of this event was forgotten.')
  return { matches: hashPayload(body.messages ?? null) === event.payloadHash, payload_hash: event.payloadHash }
}
