import { canonicalJson } from '../canonical.ts'
import { checkIdentifier, checkJson, checkKnownKeys, checkText, parseInstant, utf8Bytes } from '../check.ts'
import { sha256 } from '../digest.ts'
import { invalid } from '../errors.ts'
import { limits } from '../limits.ts'
import { withSpeaker } from '../search/speaker.ts'
import { checkCategory } from './category.ts'
import type { SourceMessage } from './source-event.ts'
import { checkServiceKey } from './writer.ts'

/** What a call to remember asks for, checked. */
export type ParsedAdd = {
  readonly subject: string
  readonly agentId: string | null
  readonly infer: boolean
  readonly metadata: Readonly<Record<string, unknown>>
  readonly messages: readonly SourceMessage[]
  readonly payloadHash: string
}

export type ParsedSource = {
  readonly service: string
  readonly eventId: string
  /** Null when the call did not say: then it is when the call came. */
  readonly observedAt: number | null
  readonly scope: Readonly<Record<string, unknown>> | null
  readonly evidence: readonly unknown[] | null
}

type Body = Readonly<Record<string, unknown>>

export function parseAdd(body: Body): ParsedAdd {
  checkKnownKeys('body', body, ['external_user_id', 'agent_id', 'messages', 'metadata', 'infer', 'source'])
  const { external_user_id: subject, agent_id: agentId = null, metadata = {}, infer = true } = body
  const max = limits.externalUserIdCharactersMax
  checkIdentifier('external_user_id', subject, 'externalUserIdCharactersMax', max)
  if (subject.split(/[/\\]/).includes('..')) throw invalid('external_user_id', 'must not have a ".." segment')
  if (agentId !== null) checkIdentifier('agent_id', agentId, 'agentIdCharactersMax', limits.agentIdCharactersMax)
  if (typeof infer !== 'boolean') throw invalid('infer', 'must be true or false')
  checkObject('metadata', metadata, 'metadataBytesMax')
  const messages = parseMessages(body.messages, infer)
  return { subject, agentId, infer, metadata, messages, payloadHash: hashPayload(body.messages) }
}

/** Over the canonical form of what was sent, unknown members included: anyone who still has it can prove it. */
export function hashPayload(messages: unknown): string {
  checkJson('messages', messages, 'messagesBytesMax', limits.messagesBytesMax)
  try {
    return `sha256:${sha256(canonicalJson(messages))}`
  } catch {
    // A number that is too large for one, for instance.
    throw invalid('messages', 'must have a canonical form (RFC 8785)')
  }
}

const messageKeys = ['role', 'content', 'category', 'claim_key', 'confidence']

function parseMessages(value: unknown, infer: boolean): SourceMessage[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > limits.messagesPerAddMax) {
    throw invalid('messages', `must be an array of 1 to ${limits.messagesPerAddMax} messages`, {
      limit: 'messagesPerAddMax',
      max: limits.messagesPerAddMax,
    })
  }
  checkJson('messages', value, 'messagesBytesMax', limits.messagesBytesMax)
  return value.map((message, index) => parseMessage(`messages[${index}]`, message, infer))
}

/** Members that are not known are part of the hash and are not kept. */
function parseMessage(field: string, message: unknown, infer: boolean): SourceMessage {
  if (message === null || typeof message !== 'object' || Array.isArray(message))
    throw invalid(field, 'must be an object')
  const { role, content: said, name, category, claim_key, confidence } = message as Body
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw invalid(`${field}.role`, 'must be user, assistant or system')
  checkText(`${field}.content`, said)
  if (said.trim() === '') throw invalid(`${field}.content`, 'must not be empty')
  const content = infer ? said : withName(field, said, name)
  if (!infer && utf8Bytes(content) > limits.contentBytesMax) {
    throw invalid(`${field}.content`, `must be at most ${limits.contentBytesMax} bytes of UTF-8`, {
      limit: 'contentBytesMax',
      max: limits.contentBytesMax,
    })
  }
  if (infer) return { role, content }
  if (category !== undefined) checkCategory(`${field}.category`, category)
  if (claim_key !== undefined) checkClaimKey(`${field}.claim_key`, claim_key)
  if (confidence !== undefined && !isShare(confidence))
    throw invalid(`${field}.confidence`, 'must be a number from 0 to 1')
  const known = Object.entries({ role, content, category, claim_key, confidence })
  return Object.fromEntries(known.filter(([key, member]) => messageKeys.includes(key) && member !== undefined)) as never
}

function withName(field: string, said: string, name: unknown): string {
  if (name === undefined || name === null) return said
  checkIdentifier(`${field}.name`, name, 'speakerCharactersMax', limits.speakerCharactersMax)
  return withSpeaker(said, name)
}

export function checkClaimKey(field: string, value: unknown): asserts value is string {
  checkIdentifier(field, value, 'claimKeyCharactersMax', limits.claimKeyCharactersMax)
}

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1
}

const sourceKeys = ['service', 'event_id', 'observed_at', 'scope', 'evidence']

export function parseSource(source: unknown, now: number): ParsedSource | null {
  if (source === undefined || source === null) return null
  checkKnownKeys('source', source, sourceKeys)
  const { service, event_id, observed_at, scope = null, evidence = null } = source as Body
  checkServiceKey('source.service', service)
  checkIdentifier('source.event_id', event_id, 'eventIdCharactersMax', limits.eventIdCharactersMax)
  const observedAt =
    observed_at === undefined || observed_at === null ? null : parseInstant('source.observed_at', observed_at)
  if (observedAt !== null && observedAt > now + limits.observedAheadMs)
    throw invalid('source.observed_at', 'must not lie in the future', {
      limit: 'observedAheadMs',
      max: limits.observedAheadMs,
    })
  if (scope !== null) checkObject('source.scope', scope, 'sourceScopeBytesMax')
  return { service, eventId: event_id, observedAt, scope, evidence: parseEvidence(evidence) }
}

function parseEvidence(value: unknown): readonly unknown[] | null {
  if (value === null) return null
  const isList =
    Array.isArray(value) &&
    value.length <= limits.evidenceItemsMax &&
    value.every((item) => item !== null && typeof item === 'object' && !Array.isArray(item))
  if (!isList)
    throw invalid('source.evidence', `must be an array of at most ${limits.evidenceItemsMax} objects`, {
      limit: 'evidenceItemsMax',
      max: limits.evidenceItemsMax,
    })
  checkJson('source.evidence', value, 'evidenceBytesMax', limits.evidenceBytesMax)
  return value
}

type ObjectLimit = 'metadataBytesMax' | 'sourceScopeBytesMax'

function checkObject(field: string, value: unknown, limit: ObjectLimit): asserts value is Body {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw invalid(field, 'must be an object')
  checkJson(field, value, limit, limits[limit])
}
