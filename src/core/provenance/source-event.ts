import { commonReaders } from '../entries/access.ts'
import type { Readers } from '../entries/readers.ts'
import type { Trust } from '../entries/trust.ts'

/** One ingestion call: its source service, its instants, its subject, and the hash of its messages. */
export type SourceEventRecord = {
  readonly sourceEventId: string
  /** Null when the call named no source service. */
  readonly service: string | null
  readonly eventId: string | null
  readonly subject: string
  readonly agentId: string | null
  readonly infer: boolean
  readonly observedAt: number
  readonly receivedAt: number
  /** `sha256:` over the canonical form of the messages as they were sent. It stays when the messages are deleted. */
  readonly payloadHash: string
  /** The messages contained a secret, which could be guessed from their hash: only keys with `audit:read` see the hash. */
  readonly isHashPrivate: boolean
  /** Part of the audit's digest of this event, and erased with the event. */
  readonly salt: string
  readonly scope: Readonly<Record<string, unknown>> | null
  readonly evidence: readonly unknown[] | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** The redacted messages; null once their retention has ended. */
  readonly messages: readonly SourceMessage[] | null
  /** The job that ingests the event; empty for an edit and for a batch of entries, which are stored in the call itself. */
  readonly jobId: string
  readonly actor: string
  /** The class of the call, and who may read what it states; null readers: everyone in the tenant. */
  readonly trust: Trust
  readonly readers: Readers
  /** The request id of the call. A repeated call gets the first response with this id. */
  readonly requestId: string
  readonly recordedPosition: number
  /** The event is erased: only its id, service and arrival are left, everything else is empty. */
  readonly isErased?: true
  /** The event must wait until a forget that does not cover it has ended; see `isBlockedByForget`. */
  readonly isHeldUp?: true
}

/** One message of a source event. */
export type SourceMessage = {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** Only without extraction: the caller's own classification of the message. */
  readonly category?: string
  readonly claimKey?: string
  readonly confidence?: number
  /** Below the class of its event. */
  readonly trust?: Trust
  /** The memory is to be in every prompt about its subject. */
  readonly alwaysInclude?: true
  /** Who may read what is found in it. Present on every message of an event as soon as one of them has readers of its own. */
  readonly readers?: Readers
}

/**
 * The messages with their readers, and those of the event: who may read all of its messages. Readers of a message replace those of
 * the call. If no message has its own, the messages stay as they are.
 */
export function withReaders(
  messages: readonly SourceMessage[],
  ofCall: Readers,
): { readonly messages: readonly SourceMessage[]; readonly readers: Readers } {
  if (messages.every(({ readers }) => readers === undefined)) return { messages, readers: ofCall }
  const own = messages.map(({ readers = ofCall, ...message }) => ({ ...message, readers }))
  return { messages: own, readers: commonReaders(own.map(({ readers }) => readers)) }
}

/** Who may read what is found in one message of an event. */
export function readersOfMessage(
  event: Pick<SourceEventRecord, 'readers'>,
  message: SourceMessage | undefined,
): Readers {
  return message?.readers === undefined ? event.readers : message.readers
}

/** A source event before it is stored. */
export type NewSourceEvent = Omit<SourceEventRecord, 'recordedPosition' | 'isErased' | 'isHeldUp'> & {
  /** The tombstone that the event would have if it had been forgotten. It is not stored with the event. */
  readonly tombstone?: string
}

/** The row of an event after it was forgotten. */
export function erasedSource({
  sourceEventId,
  service,
  receivedAt,
  jobId,
  infer,
  recordedPosition,
  trust,
}: SourceEventRecord): SourceEventRecord {
  const empty = {
    eventId: null,
    subject: '',
    agentId: null,
    payloadHash: '',
    isHashPrivate: false,
    salt: '',
    scope: null,
    evidence: null,
    readers: null,
  }
  const erased = { ...empty, metadata: {}, messages: null, actor: '', requestId: '', observedAt: receivedAt }
  return { sourceEventId, service, receivedAt, jobId, infer, recordedPosition, trust, ...erased, isErased: true }
}

/** The key of an event: two calls with the same key are the same event. Null for an event without one. */
export function sourceKeyOf(event: {
  readonly service: string | null
  readonly eventId: string | null
}): string | null {
  return event.service === null || event.eventId === null ? null : `${event.service}\u0000${event.eventId}`
}

/** The prefix of the event id that the host gives to an edit by a bound writer. */
export const editPrefix = 'edit:'

/** Whether an event was stored in the call itself: an edit of a memory, or a batch of entries. No job extracts candidates from it. */
export function isEdit({ jobId }: Pick<SourceEventRecord, 'jobId'>): boolean {
  return jobId === ''
}

/** The memory that an event edited, and the editor's reason; null for an event that is no edit. */
export function editOf({ jobId, isErased, metadata }: Pick<SourceEventRecord, 'jobId' | 'isErased' | 'metadata'>): {
  readonly edits: string
  readonly reason: string | null
} | null {
  if (!isEdit({ jobId }) || isErased) return null
  const { edits, reason } = metadata
  if (edits === undefined) return null
  return { edits: String(edits), reason: typeof reason === 'string' ? reason : null }
}

/** What the event of a batch keeps instead of messages: the ref, and the entries that it wrote. */
export type WrittenBatch = { readonly memoryRef: string; readonly entries: readonly string[] }

/** The batch of entries that an event wrote; null for other events. */
export function batchOf({ jobId, isErased, metadata }: Pick<SourceEventRecord, 'jobId' | 'isErased' | 'metadata'>) {
  if (!isEdit({ jobId }) || isErased) return null
  const { memoryRef, entries } = metadata
  return typeof memoryRef === 'string' && Array.isArray(entries)
    ? ({ memoryRef, entries: entries.map(String) } satisfies WrittenBatch)
    : null
}

/** The texts of an event, and whether its hash may be shown. */
export type SourceEventTexts = Pick<
  SourceEventRecord,
  'sourceEventId' | 'isHashPrivate' | 'scope' | 'evidence' | 'metadata' | 'messages'
>

/** An event after its texts were redacted again. It has a new salt, so that the former digest reveals nothing. */
export type SourceRewrite = SourceEventRecord
