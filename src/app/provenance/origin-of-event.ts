import { keyOfActor } from '../../core/access/actor.ts'
import type { Origin } from '../../core/entries/entry.ts'
import type { SourceEventRecord } from '../../core/provenance/source-event.ts'

/** The origin of memories that come from a source event: its service, or the API key that sent it. */
export function originOf({
  service,
  sourceEventId,
  agentId,
  actor,
}: Pick<SourceEventRecord, 'service' | 'sourceEventId' | 'agentId' | 'actor'>): Origin {
  const key = keyOfActor(actor)
  const agent = agentId === null ? {} : { agentId }
  if (service === null) return { kind: 'api', sourceEventId, ...key, ...agent }
  return { kind: 'service', service, sourceEventId, ...key, ...agent }
}
