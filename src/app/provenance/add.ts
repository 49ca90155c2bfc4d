import { checkIncludedCount, checkMayBeIncluded } from '../../core/entries/always-include.ts'
import { areSameReaders, type Readers, readersKey } from '../../core/entries/readers.ts'
import { defaultTrust, type Trust, writeTrust } from '../../core/entries/trust.ts'
import { ColophonError } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { foldName } from '../../core/people/spelling.ts'
import { type NewSourceEvent, type SourceEventRecord, withReaders } from '../../core/provenance/source-event.ts'
import { withMemorySpan } from '../../telemetry/memory-span.ts'
import type { WriteOptions } from '../commit.ts'
import { mayRead } from '../entries/read-access.ts'
import { storedName } from '../people/stored-spellings.ts'
import { freshContext, loadSettings } from '../redaction/redaction-state.ts'
import type { Tenant } from '../tenant.ts'
import { schedulePayloadRetention } from './payload-retention.ts'
import { planIngest, verbatim } from './plan-ingest.ts'
import { type Caller, type EventSource, erased, otherPayload, receiveOnce } from './receive-once.ts'

/** The messages of one `add` call, the person that they are about, and the service that sent them. */
export type AddRequest = Pick<
  NewSourceEvent,
  'subject' | 'agentId' | 'infer' | 'metadata' | 'messages' | 'payloadHash'
> & {
  readonly messages: NonNullable<NewSourceEvent['messages']>
  readonly source: EventSource | null
  /** A class below that of the credential. */
  readonly trust?: Trust | undefined
  /** Who may read what comes of the messages, unless a message has its own readers; null and absent for everyone. */
  readonly readers?: Readers
}

type Received = { readonly event: SourceEventRecord | NewSourceEvent; readonly repeated: boolean }

/** The stored source event. `repeated` is true when an earlier call stored it. */
export type AddResult = Received & {
  /** The messages are to be inferred from, and none of them is from a user: no memory will come of them. */
  readonly hasNothing: boolean
}

export const ingestJobKind = 'colophon.ingest'

/**
 * Receives a source event from a service, or from any caller with a key. The event, its messages and the job that ingests them are
 * stored in one commit, so an acknowledged event is neither lost nor ingested twice. Resending it returns the first response.
 */
export async function add(
  tenant: Tenant,
  request: AddRequest,
  caller: Caller,
  options: WriteOptions = {},
): Promise<AddResult> {
  // The job that ingests the messages decides how many memories come of them.
  const received = await withMemorySpan('upsert_memory', () => receive(tenant, request, caller, options))
  return { ...received, hasNothing: request.infer && !request.messages.some(({ role }) => role === 'user') }
}

async function receive(tenant: Tenant, request: AddRequest, caller: Caller, options: WriteOptions): Promise<Received> {
  const now = tenant.now()
  const { source } = request
  if (source === null) {
    const trust = trustOf(request, defaultTrust)
    return store(tenant, await toEvent(tenant, { ...request, trust }, caller, now), request, options)
  }
  return receiveOnce(tenant, source, caller, {
    store: async ({ service, tombstone, trust: own }) => {
      const named = { ...request, source: { ...source, service }, trust: trustOf(request, own) }
      return store(tenant, await toEvent(tenant, named, caller, now), request, options, tombstone)
    },
    repeat: (first) => repeat(tenant, first, request, caller),
  })
}

/** The class of a call. A message can have a lower one. */
function trustOf({ trust, messages }: AddRequest, own: Trust): Trust {
  const granted = writeTrust(own, trust)
  for (const message of messages) {
    const own = writeTrust(granted, message.trust)
    if (message.alwaysInclude) checkMayBeIncluded('messages.always_include', own)
  }
  return granted
}

async function toEvent(
  tenant: Tenant,
  { source, ...request }: AddRequest & { readonly trust: Trust },
  caller: Caller,
  now: number,
): Promise<NewSourceEvent> {
  const { system } = tenant
  return {
    ...request,
    subject: await storedName(tenant, request.subject),
    sourceEventId: system.newId('src'),
    service: source?.service ?? null,
    eventId: source?.eventId ?? null,
    observedAt: source?.observedAt ?? now,
    receivedAt: now,
    // The redactor sets it when it finds a secret.
    isHashPrivate: false,
    ...withReaders(request.messages, request.readers ?? null),
    salt: system.newSalt(),
    scope: source?.scope ?? null,
    evidence: source?.evidence ?? null,
    jobId: system.newId('job'),
    actor: caller.actor,
    requestId: caller.requestId,
  }
}

async function store(
  tenant: Tenant,
  event: NewSourceEvent,
  { subject }: Pick<AddRequest, 'subject'>,
  options: WriteOptions,
  tombstone?: string,
): Promise<Received> {
  await schedulePayloadRetention(tenant)
  const { sourceEventId, jobId, agentId, infer, payloadHash, service, eventId, trust, readers } = event
  // Left out by default, so that the keys of calls from before there were classes stay valid.
  const lowered = trust === defaultTrust ? {} : { trust }
  const job = {
    jobId,
    kind: ingestJobKind,
    payload: { sourceEventId },
    priority: 0,
    dueAt: null,
    attemptsMax: limits.ingestAttemptsMax,
  }
  // Readers of messages are part of the payload hash.
  const named = readers === null ? {} : { readers: readersKey(readers) }
  // With the id as the caller sent it: a retry is the same call, whichever spelling is stored by then.
  const call = { operation: 'add', subject, agentId, infer, payloadHash, service, eventId, ...lowered, ...named }
  const write = { ...options, call }
  await checkMarks(tenant, event).catch(async (error: unknown) => {
    // A retry of a call that was stored gets its result.
    if ((await tenant.findOutcome(write)) === null) throw error
  })
  const slot = tenant.engine.workers.reserveSlot(tenant.id, ingestJobKind)
  try {
    const { repeated, outcome, jobs } = await tenant.commit(
      {
        kind: 'source.received',
        sourceEvents: [tombstone === undefined ? event : { ...event, tombstone }],
        jobs: [slot ? { ...job, lease: slot.lease } : job],
      },
      write,
    )
    const [stored] = jobs
    if (!repeated) {
      if (slot && stored) slot.start(tenant.id, stored)
      else tenant.engine.workers.wake(ingestJobKind)
      return { event, repeated }
    }
    slot?.release()
    return { event: await eventOfJob(tenant, outcome.jobs[0] ?? ''), repeated }
  } catch (error) {
    slot?.release()
    throw error
  }
}

/**
 * Refuses messages with the mark if their subject would have more marked memories than it may. They are planned as the job will do it: a message that
 * takes the place of a marked memory needs no further one. Events that wait for their job are not counted.
 */
async function checkMarks(tenant: Tenant, event: NewSourceEvent): Promise<void> {
  if (event.infer || !event.messages?.some(({ alwaysInclude }) => alwaysInclude)) return
  const { defaultWriterPriority } = await loadSettings(tenant.storage, tenant.id)
  const rules = { defaultWriterPriority, ...(await freshContext(tenant)), containedBy: null }
  const { unmarked } = await planIngest(tenant, event, verbatim(event).candidates, rules)
  checkIncludedCount('messages.always_include', limits.alwaysIncludeMax + unmarked)
}

async function eventOfJob(tenant: Tenant, jobId: string): Promise<SourceEventRecord> {
  const job = await tenant.storage.jobs.get(tenant.id, jobId)
  const { sourceEventId } = (job?.payload ?? {}) as { sourceEventId?: string }
  const event = sourceEventId && (await tenant.storage.provenance.sourceEvent(tenant.id, sourceEventId))
  if (!event) throw new ColophonError('content_erased', 'The source event of the first call was erased.')
  if (event.isErased) throw erased()
  return event
}

/**
 * A resent event must have the same messages about the same person, for the same readers. Its instant and its evidence may differ. Its ids are for
 * its sender, and for callers that may read it.
 */
function repeat(tenant: Tenant, first: SourceEventRecord, request: AddRequest, { actor }: Caller): Received {
  const { payloadHash, subject, agentId, infer } = request
  const isSame =
    (first.actor === actor || mayRead(tenant, first.readers)) &&
    first.payloadHash === payloadHash &&
    foldName(first.subject) === foldName(subject) &&
    first.agentId === agentId &&
    first.infer === infer &&
    areSameReaders(first.readers, withReaders(request.messages, request.readers ?? null).readers)
  if (isSame) return { event: first, repeated: true }
  throw otherPayload()
}
