import type { SourceNote } from '../../audit/audit-notes.ts'
import { messagesDigest, sourceDigest } from '../../audit/row-digests.ts'
import { ColophonError } from '../../errors.ts'
import { sealSourceEvent } from '../../provenance/seal-claim.ts'
import type {
  NewSourceEvent,
  SourceEventRecord,
  SourceEventTexts,
  SourceRewrite,
} from '../../provenance/source-event.ts'
import { mapStrings } from '../../redaction/map-strings.ts'
import { type RedactionContext, redactJson } from '../../redaction/redact-json.ts'
import { refuseSecrets } from '../../redaction/scanner.ts'
import type { BatchPart } from './part.ts'
import { notesOf } from './part.ts'

export type SourceEventMembers = {
  readonly sourceEvents: readonly NewSourceEvent[]
  /** Source events whose messages are no longer kept. */
  readonly payloadsRedacted: readonly string[]
  readonly sourceRewrites: readonly SourceRewrite[]
  /** The source event that this batch makes memories of: if it was forgotten meanwhile, nothing of the batch is stored. */
  readonly ingests?: string
}

export type SourceEventRows = {
  readonly sourceEvents: readonly SourceEventRecord[]
  readonly payloadsRedacted: readonly string[]
  readonly sourceRewrites: readonly SourceRewrite[]
}

export type SourceEventPartState = {
  readonly hasSourceEvent: (service: string, eventId: string) => boolean
  /** Whether a source event is erased, or behind a fence. */
  readonly isSourceForgotten: (sourceEventId: string) => boolean
}

/** Source events, as source services sent them. */
export const sourceEvents: BatchPart<SourceEventMembers, SourceEventRows, SourceEventPartState> = {
  members: ['sourceEvents', 'payloadsRedacted', 'sourceRewrites', 'ingests'],
  none: { sourceEvents: [], payloadsRedacted: [], sourceRewrites: [] },
  noRows: { sourceEvents: [], payloadsRedacted: [], sourceRewrites: [] },

  redact: (batch, { inField }) => ({
    sourceEvents: batch.sourceEvents.map((event) => redactSource(event, inField)),
    sourceRewrites: batch.sourceRewrites.map((event) => redactSource(event, inField)),
  }),

  refuseSecrets(batch, { scan }) {
    for (const { subject, service, eventId, agentId, messages, readers } of batch.sourceEvents) {
      refuseSecrets({ subject, service, eventId, agentId }, scan)
      for (const reader of readers ?? []) refuseSecrets({ readers: reader }, scan)
      for (const { claimKey, readers: own } of messages ?? []) {
        refuseSecrets({ claimKey }, scan)
        for (const reader of own ?? []) refuseSecrets({ 'messages.readers': reader }, scan)
      }
    }
  },

  check({ ingests }, { isSourceForgotten }) {
    if (ingests !== undefined && isSourceForgotten(ingests))
      throw new ColophonError('source_event_erased', 'The source event that this would ingest was forgotten.')
  },

  seal: (batch, { hasSourceEvent }, { position }) => ({
    sourceEvents: batch.sourceEvents.map((event) => sealSourceEvent(event, hasSourceEvent, position)),
    payloadsRedacted: batch.payloadsRedacted,
    sourceRewrites: batch.sourceRewrites,
  }),

  takesPosition: (rows) =>
    rows.sourceEvents.length > 0 || rows.payloadsRedacted.length > 0 || rows.sourceRewrites.length > 0,

  audit: (rows) => ({
    ...notesOf('payloads', rows.payloadsRedacted, (id) => id),
    ...(rows.payloadsRedacted.length === 0 ? {} : { payloadsRedacted: rows.payloadsRedacted.length }),
    ...notesOf('sourceEvents', rows.sourceEvents, toSourceNote),
    ...notesOf('sourcesRewritten', rows.sourceRewrites, toSourceNote),
  }),
}

/** The names of members in messages are the host's, and so are the numbers among them. */
export function redactSource<T extends SourceEventTexts>(event: T, inField: (field: string) => RedactionContext): T {
  const { scan, onHit } = inField('messages')
  let { isHashPrivate } = event
  const rewrite = (text: string) =>
    scan(text, (rule) => {
      isHashPrivate = true
      onHit(rule)
    })
  const messages = mapStrings(event.messages, rewrite) as T['messages']
  return {
    ...event,
    isHashPrivate,
    messages,
    scope: redactScope(event.scope, inField('scope')) as T['scope'],
    evidence: redactJson(event.evidence, inField('evidence')) as T['evidence'],
    metadata: redactJson(event.metadata, inField('metadata')) as T['metadata'],
  }
}

/** A session id is an identifier: it is a secret only if it is one by itself, and not because of the name of its member. */
function redactScope(scope: SourceEventTexts['scope'], redaction: RedactionContext): unknown {
  if (typeof scope?.session_id !== 'string') return redactJson(scope, redaction)
  const { session_id: session, ...rest } = scope
  return { session_id: redaction.scan(session, redaction.onHit), ...(redactJson(rest, redaction) as object) }
}

function toSourceNote(event: SourceEventRecord): SourceNote {
  const messages = messagesDigest(event)
  return { digest: sourceDigest(event), id: event.sourceEventId, ...(messages === null ? {} : { messages }) }
}
