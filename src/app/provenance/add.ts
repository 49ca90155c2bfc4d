import { ColophonError, isColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import type { NewSourceEvent, SourceEvent } from '../../core/provenance/source-event.ts'
import { checkSpeaker } from '../../core/provenance/writer.ts'
import type { WriteOptions } from '../commit.ts'
import type { Engine } from '../engine.ts'
import { loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { scheduleRetention } from './retention.ts'
import { tombstoneOf } from './tombstone.ts'
import { findWriter } from './writers.ts'

export type Caller = { readonly actor: string; readonly keyId: string; readonly requestId: string }

/** What a call asks to be remembered. */
export type AddRequest = Pick<
  NewSourceEvent,
  'subject' | 'agentId' | 'infer' | 'metadata' | 'messages' | 'payloadHash'
> & { readonly messages: NonNullable<NewSourceEvent['messages']>; readonly source: EventSource | null }

/** The service that sends an event, and the id that it has there. */
type EventSource = Pick<NewSourceEvent, 'scope' | 'evidence'> & {
  readonly service: string
  readonly eventId: string
  /** Null when the service did not say: then it is when the call came. */
  readonly observedAt: number | null
}

type Taken = { readonly event: SourceEvent | NewSourceEvent; readonly repeated: boolean }

export type Added = Taken & {
  /** Nobody says anything about themselves in it. */
  readonly hasNothing: boolean
}

export const ingestJobKind = 'colophon.ingest'

/**
 * Takes what a service (or anybody with a key) tells: the event, its messages and the job that makes memories of them
 * are one commit, so a told event is neither lost nor taken twice. The same event again gets the first answer.
 */
export async function add(
  tenant: Tenant,
  request: AddRequest,
  caller: Caller,
  options: WriteOptions = {},
): Promise<Added> {
  const taken = await take(tenant, request, caller, options)
  return { ...taken, hasNothing: request.infer && !request.messages.some(({ role }) => role === 'user') }
}

async function take(tenant: Tenant, request: AddRequest, caller: Caller, options: WriteOptions): Promise<Taken> {
  const now = tenant.now()
  const { source } = request
  if (source) {
    checkObservedAt(source, now)
    const writer = await findWriter(tenant, source.service)
    if (writer === null) throw unknownWriter()
    checkSpeaker(writer, caller.keyId, { requireBoundWriters: false })
    const first = await tenant.storage.provenance.sourceEventNamed(tenant.id, source.service, source.eventId)
    if (first) return repeat(first, request)
    await refuseErased(tenant, source)
    // Only what is new needs a writer that is active, and bound where that is required: what was taken before keeps its answer.
    if (!writer.isActive) throw unknownWriter()
    checkSpeaker(writer, caller.keyId, await loadSettings(tenant.storage, tenant.id))
  }
  await scheduleRetention(tenant)
  const event = toEvent(tenant.engine, request, caller, now)
  try {
    return await store(tenant, event, options)
  } catch (error) {
    if (!source || !isColophonError(error, 'source_event_exists')) throw error
    const first = await tenant.storage.provenance.sourceEventNamed(tenant.id, source.service, source.eventId)
    if (first === null) throw error
    return repeat(first, request)
  }
}

function checkObservedAt({ observedAt }: EventSource, now: number): void {
  const max = limits.observedAheadMs
  if (observedAt === null || observedAt <= now + max) return
  const details = { field: 'source.observedAt', limit: 'observedAheadMs', max }
  throw new ColophonError('writer_invalid', 'source.observedAt must not lie in the future.', { details })
}

/** An event that was forgotten cannot be told again: its tombstone is known by its digest. */
async function refuseErased(tenant: Tenant, { service, eventId }: EventSource): Promise<void> {
  const { digest } = await tenant.context()
  const tombstone = tombstoneOf(digest, service, eventId)
  if (await tenant.storage.provenance.sourceEventNamed(tenant.id, service, tombstone)) throw erased()
}

function erased(): ColophonError {
  return new ColophonError('source_event_erased', 'What this event told was forgotten.')
}

function unknownWriter(): ColophonError {
  return new ColophonError('writer_invalid', 'source.service must be a registered, active writer.', {
    details: { field: 'source.service' },
  })
}

function toEvent(engine: Engine, { source, ...request }: AddRequest, caller: Caller, now: number): NewSourceEvent {
  return {
    ...request,
    sourceEventId: engine.system.newId('src'),
    service: source?.service ?? null,
    eventId: source?.eventId ?? null,
    observedAt: source?.observedAt ?? now,
    receivedAt: now,
    // The redactor says so when it finds a secret.
    isHashPrivate: false,
    salt: engine.system.newSalt(),
    scope: source?.scope ?? null,
    evidence: source?.evidence ?? null,
    jobId: engine.system.newId('job'),
    actor: caller.actor,
    requestId: caller.requestId,
  }
}

async function store(tenant: Tenant, event: NewSourceEvent, options: WriteOptions): Promise<Taken> {
  const { sourceEventId, jobId, subject, agentId, infer, payloadHash, service, eventId } = event
  const job = {
    jobId,
    kind: ingestJobKind,
    payload: { sourceEventId },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.ingestAttemptsMax,
  }
  const adoption = tenant.engine.workers.adopt(tenant.id, ingestJobKind)
  try {
    const { repeated, outcome, jobs } = await tenant.commit(
      {
        kind: 'source.received',
        sourceEvents: [event],
        jobs: [adoption ? { ...job, lease: adoption.lease } : job],
      },
      { ...options, call: { operation: 'add', subject, agentId, infer, payloadHash, service, eventId } },
    )
    const [stored] = jobs
    if (!repeated) {
      if (adoption && stored) adoption.start(tenant.id, stored)
      else tenant.engine.workers.wake(ingestJobKind)
      return { event, repeated }
    }
    adoption?.drop()
    return { event: await eventOfJob(tenant, outcome.jobs[0] ?? ''), repeated }
  } catch (error) {
    adoption?.drop()
    throw error
  }
}

async function eventOfJob(tenant: Tenant, jobId: string): Promise<SourceEvent> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  const { sourceEventId } = (job?.payload ?? {}) as { sourceEventId?: string }
  const event = sourceEventId && (await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId))
  if (!event) throw new ColophonError('content_erased', 'What the first call told is gone.')
  if (event.isErased) throw erased()
  return event
}

/** The same event must tell the same about the same person; when it was seen and what else was said of it may differ. */
function repeat(first: SourceEvent, { payloadHash, subject, agentId, infer }: AddRequest): Taken {
  if (first.isErased) throw erased()
  const isSame =
    first.payloadHash === payloadHash && first.subject === subject && first.agentId === agentId && first.infer === infer
  if (isSame) return { event: first, repeated: true }
  throw new ColophonError('source_event_payload_mismatch', 'This event was told with other messages.')
}
