import type { z } from 'zod'
import type { getSourceEvent } from '../../../app/provenance/source-events.ts'
import { keyOfActor } from '../../../core/access/actor.ts'
import { toInstant } from '../../../core/check.ts'
import { isEdit, type SourceEventRecord as StoredEvent } from '../../../core/provenance/source-event.ts'
import type { SourceEvent, SourceEventPage } from '../schemas/source-events.ts'
import { toSnake } from '../snake-case.ts'

/** The view of a source event, without its messages. An erased event has only its service and time. */
export function toSourceSummary(event: StoredEvent): z.output<typeof SourceEventPage>['data'][number] {
  return event.isErased ? erasedView(event) : storedView(event)
}

export function toSourceView({
  event,
  memories,
}: Awaited<ReturnType<typeof getSourceEvent>>): z.output<typeof SourceEvent> {
  if (event.isErased) return erasedView(event)
  const payload = event.messages === null ? { messages_redacted: true as const } : event.messages.map(toSnake)
  return { ...storedView(event), payload, memories: memories.map(toSnake) }
}

function erasedView({ sourceEventId: id, service, receivedAt }: StoredEvent) {
  return { id, service, received_at: toInstant(receivedAt), erased: true as const }
}

function storedView(event: StoredEvent) {
  return {
    id: event.sourceEventId,
    service: event.service,
    event_id: event.eventId,
    external_user_id: event.subject,
    agent_id: event.agentId,
    observed_at: toInstant(event.observedAt),
    received_at: toInstant(event.receivedAt),
    payload_hash: event.payloadHash,
    extraction_job_id: isEdit(event) ? null : event.jobId,
    evidence_refs: event.evidence ?? [],
    scope: event.scope,
    api_key_id: keyOfActor(event.actor).keyId ?? null,
    trust: event.trust,
    ...(event.readers === null ? {} : { readers: event.readers }),
    payload_state: event.messages === null ? ('redacted' as const) : ('stored' as const),
  }
}
