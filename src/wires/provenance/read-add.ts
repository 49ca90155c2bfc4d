import type { z } from 'zod'
import type { AddRequest } from '../../app/provenance/add.ts'
import { parseInstant } from '../../core/check.ts'
import { parseReaders } from '../../core/entries/readers.ts'
import { invalid } from '../../core/errors.ts'
import type { SourceMessage } from '../../core/provenance/source-event.ts'
import { hashPayload } from '../../core/provenance/source-messages.ts'
import { type AddDraft, type Message, memoryText } from './schemas/add.ts'

/** The request of the use case `add`, from the body of the wire. */
export function readAdd(draft: z.output<typeof AddDraft>): AddRequest {
  const { external_user_id: subject, agent_id, metadata = {}, source, trust } = draft
  return {
    subject,
    agentId: agent_id ?? null,
    infer: draft.infer ?? true,
    metadata,
    messages: draft.infer === false ? draft.messages.map(verbatim) : draft.messages.map(toMessage),
    payloadHash: hashPayload(draft.messages),
    source: source == null ? null : readSource(source),
    ...(trust === undefined ? {} : { trust }),
    readers: parseReaders('readers', draft.readers),
  }
}

/** For extraction, only the role, the text, the class and the readers of a message are used. */
export function toMessage(message: z.output<typeof Message>): SourceMessage {
  const { role, content, readers, trust, always_include } = message
  // Not dropped in silence: the memories would not be what the caller asked for.
  if (always_include !== undefined)
    throw invalid('messages.always_include', 'is only allowed with infer: false; or mark an extracted memory by PATCH')
  return { role, content, ...(trust === undefined ? {} : { trust }), ...ownReaders(readers) }
}

type Verbatim = Extract<z.output<typeof AddDraft>, { infer: false }>['messages'][number]

function verbatim(message: Verbatim): SourceMessage {
  const { role, category, claim_key: claimKey, confidence, trust } = message
  return {
    role,
    content: memoryText(message),
    ...(category === undefined ? {} : { category }),
    ...(claimKey === undefined ? {} : { claimKey }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(trust === undefined ? {} : { trust }),
    ...(message.always_include ? { alwaysInclude: true } : {}),
    ...ownReaders(message.readers),
  }
}

function ownReaders(readers: readonly string[] | undefined): Pick<SourceMessage, 'readers'> {
  return readers === undefined ? {} : { readers: parseReaders('messages.readers', readers) }
}

function readSource({
  service,
  event_id: eventId,
  observed_at,
  scope = null,
  evidence = null,
}: NonNullable<z.output<typeof AddDraft>['source']>): AddRequest['source'] {
  const observedAt = observed_at == null ? null : parseInstant('source.observed_at', observed_at)
  return { service: service ?? null, eventId, observedAt, scope, evidence }
}
