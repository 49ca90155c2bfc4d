/** One ingestion call: who told it, when, about whom, and what it weighed. */
export type SourceEvent = {
  readonly sourceEventId: string
  /** Null when the call named no source: then nobody is shown as having told it. */
  readonly service: string | null
  readonly eventId: string | null
  readonly subject: string
  readonly agentId: string | null
  readonly infer: boolean
  readonly observedAt: number
  readonly receivedAt: number
  /** `sha256:` over the canonical form of the messages as they were sent. It stays when the messages go. */
  readonly payloadHash: string
  /** A secret was taken out of the messages, so their hash could be used to guess it: only auditors are shown it. */
  readonly isHashPrivate: boolean
  /** Goes into the audit's digest of this event, and dies with it. */
  readonly salt: string
  readonly scope: Readonly<Record<string, unknown>> | null
  readonly evidence: readonly unknown[] | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** The messages, redacted; null once retention has passed over them. */
  readonly messages: readonly SourceMessage[] | null
  /** The job that makes memories of it; empty for an edit, which is decided in the call itself. */
  readonly jobId: string
  readonly actor: string
  /** Of the call that told it: a repeated call gets the first answer, this included. */
  readonly requestId: string
  readonly recordedPosition: number
  /** Only id, service and arrival are left of it; everything else here is empty. */
  readonly isErased?: true
  /** It has to wait until a forget that it has nothing to do with is done. */
  readonly isHeldUp?: true
}

export type SourceMessage = {
  readonly role: 'user' | 'assistant' | 'system'
  readonly content: string
  /** Only without extraction: what the caller knows about the message. */
  readonly category?: string
  readonly claimKey?: string
  readonly confidence?: number
}

export type NewSourceEvent = Omit<SourceEvent, 'recordedPosition' | 'isErased' | 'isHeldUp'>

/** What is left of an event that was forgotten. */
export function erasedSource({
  sourceEventId,
  service,
  receivedAt,
  jobId,
  infer,
  recordedPosition,
}: SourceEvent): SourceEvent {
  const empty = {
    eventId: null,
    subject: '',
    agentId: null,
    payloadHash: '',
    isHashPrivate: false,
    salt: '',
    scope: null,
    evidence: null,
  }
  const gone = { ...empty, metadata: {}, messages: null, actor: '', requestId: '', observedAt: receivedAt }
  return { sourceEventId, service, receivedAt, jobId, infer, recordedPosition, ...gone, isErased: true }
}

/** What makes two calls the same event. */
export function sourceKeyOf(event: {
  readonly service: string | null
  readonly eventId: string | null
}): string | null {
  return event.service === null || event.eventId === null ? null : `${event.service}\u0000${event.eventId}`
}

/** What the host names an edit of a writer's own, before its id. */
export const editPrefix = 'edit:'

/** No job takes words out of an edit: they are what it says. */
export function isEdit({ jobId }: Pick<SourceEvent, 'jobId'>): boolean {
  return jobId === ''
}

/** Which memory an event edited, and the reason that the editor gave; null for an event that is no edit. */
export function editOf({ jobId, isErased, metadata }: Pick<SourceEvent, 'jobId' | 'isErased' | 'metadata'>): {
  readonly edits: string
  readonly reason: string | null
} | null {
  if (!isEdit({ jobId }) || isErased) return null
  const { edits, reason } = metadata
  return { edits: String(edits), reason: typeof reason === 'string' ? reason : null }
}

/** What an event says, what it was said with, and whether its hash may be shown. */
export type SourceWords = Pick<
  SourceEvent,
  'sourceEventId' | 'isHashPrivate' | 'scope' | 'evidence' | 'metadata' | 'messages'
>

/** An event whose words are without a secret from now on. Its salt is another then, so that the digest of before tells nothing. */
export type SourceRewrite = SourceEvent
