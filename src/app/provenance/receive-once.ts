import { defaultTrust, type Trust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { NewSourceEvent, SourceEventRecord } from '../../core/provenance/source-event.ts'
import { checkWriterKey, isBoundTo, type Writer } from '../../core/provenance/writer.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { tombstoneOfEvent } from './source-events.ts'
import { findWriter, listWriters } from './writers.ts'

/** The caller of a request: the actor in the audit, and its key. */
export type Caller = { readonly actor: string; readonly keyId: string; readonly requestId: string }

/** The service that sent an event, and the id of the event there. */
export type EventSource = Pick<NewSourceEvent, 'scope' | 'evidence'> & {
  /** Null: the writer that the caller's key is bound to. */
  readonly service: string | null
  readonly eventId: string
  /** Null when the service did not state it: then it is the instant of the call. */
  readonly observedAt: number | null
}

/** A source whose writer may send events: its service, the tombstone of the event, and the class of what it states. */
export type AdmittedSource = { readonly service: string; readonly tombstone: string; readonly trust: Trust }

/**
 * Stores a source event once. `store` must commit the event with `tombstone`; `repeat` answers when an earlier call stored it. A resent
 * event keeps its first response, whatever is wrong with the call now: an inactive writer, a lost key, another process that was faster.
 */
export async function receiveOnce<T>(
  tenant: Tenant,
  source: EventSource,
  caller: Caller,
  { store, repeat }: { store(admitted: AdmittedSource): Promise<T>; repeat(first: SourceEventRecord): T | Promise<T> },
): Promise<T> {
  checkObservedAt(source, tenant.now())
  const writer = await writerOf(tenant, source, caller)
  checkWriterKey(writer, caller.keyId, { requireBoundWriters: false })
  const { digest } = await tenant.context()
  const service = writer.serviceKey
  const tombstone = tombstoneOfEvent(digest, service, source.eventId)
  try {
    // Only a new event needs an active writer, bound to the key where that is required.
    if (!writer.isActive) throw unknownWriter()
    checkWriterKey(writer, caller.keyId, await loadSettings(tenant.storage, tenant.id))
    // The key of a bound writer is checked: only that service has it.
    return await store({ service, tombstone, trust: writer.apiKeyId === null ? defaultTrust : 'service' })
  } catch (error) {
    const first = await tenant.storage.provenance.sourceEventNamed(tenant.id, service, source.eventId)
    if (first?.isErased) throw erased()
    if (first) return repeat(first)
    const isErased = await tenant.storage.provenance.sourceEventNamed(tenant.id, service, tombstone)
    throw isErased ? erased() : error
  }
}

async function writerOf(tenant: Tenant, { service }: EventSource, { keyId }: Caller): Promise<Writer> {
  if (service !== null) {
    const writer = await findWriter(tenant, service)
    if (writer === null) throw unknownWriter()
    return writer
  }
  const bound = (await listWriters(tenant)).find((writer) => writer.isActive && isBoundTo(writer, keyId))
  if (bound === undefined)
    throw refused('source.service is missing, and no active writer is bound to this key.', { field: 'source.service' })
  return bound
}

function checkObservedAt({ observedAt }: EventSource, now: number): void {
  const max = limits.observedAheadMs
  if (observedAt === null || observedAt <= now + max) return
  const details = { field: 'source.observedAt', limit: 'observedAheadMs', max }
  throw refused('source.observedAt must not lie in the future.', details)
}

export function erased(): ColophonError {
  return new ColophonError('source_event_erased', 'This event was forgotten: it cannot be sent again.')
}

export function otherPayload(): ColophonError {
  return new ColophonError('source_event_payload_mismatch', 'This event was sent before with other messages.')
}

function unknownWriter(): ColophonError {
  return refused('source.service must be a registered, active writer.', { field: 'source.service' })
}

function refused(message: string, details: Readonly<Record<string, string | number>>): ColophonError {
  return new ColophonError('writer_invalid', message, { details })
}
