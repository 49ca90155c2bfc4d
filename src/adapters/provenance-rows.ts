import type { Category } from '../core/provenance/category.ts'
import type { Assertion, Claim, Pin } from '../core/provenance/claim.ts'
import { erasedSource, type SourceEvent, type SourceRewrite } from '../core/provenance/source-event.ts'

/** Rows of source events, claims and assertions as both databases hold them, and what they mean. */

export const sourceEventColumns = `source_event_id, service, event_id, subject, agent_id, infer, observed_at, received_at, payload_hash,
       salt, job_id, actor, request_id, recorded_position, scope, evidence, metadata, messages`

/** As a row is read: what `isErased` and `isHeldUp` mean is said by the adapter's fence. */
export type SourceEventReadRow = SourceEventRow & { is_erased: number; is_held_up: number }

export type SourceEventRow = {
  source_event_id: string
  service: string | null
  event_id: string | null
  subject: string
  agent_id: string | null
  infer: number
  observed_at: number
  received_at: number
  payload_hash: string
  salt: string
  job_id: string
  actor: string
  request_id: string
  recorded_position: number
  scope: string | null
  evidence: string | null
  metadata: string
  messages: string | null
}

/** The same columns, without what may be long and who reads a memory is not told. */
export const withoutWords = (columns: string) =>
  columns.replace(' metadata, messages', " '{}' as metadata, null as messages")

export function toSourceEvent(row: SourceEventReadRow): SourceEvent {
  const event: SourceEvent = {
    sourceEventId: row.source_event_id,
    service: row.service,
    eventId: row.event_id,
    subject: row.subject,
    agentId: row.agent_id,
    infer: row.infer === 1,
    observedAt: row.observed_at,
    receivedAt: row.received_at,
    payloadHash: row.payload_hash,
    salt: row.salt,
    jobId: row.job_id,
    actor: row.actor,
    requestId: row.request_id,
    recordedPosition: row.recorded_position,
    scope: fromJson(row.scope),
    evidence: fromJson(row.evidence),
    metadata: JSON.parse(row.metadata) as SourceEvent['metadata'],
    messages: fromJson(row.messages),
    ...(row.is_held_up === 1 ? { isHeldUp: true } : {}),
  }
  return row.is_erased === 1 ? erasedSource(event) : event
}

export function toSourceEventRow(event: SourceEvent): SourceEventRow {
  return {
    source_event_id: event.sourceEventId,
    service: event.service,
    event_id: event.eventId,
    subject: event.subject,
    agent_id: event.agentId,
    infer: event.infer ? 1 : 0,
    observed_at: event.observedAt,
    received_at: event.receivedAt,
    payload_hash: event.payloadHash,
    salt: event.salt,
    job_id: event.jobId,
    actor: event.actor,
    request_id: event.requestId,
    recorded_position: event.recordedPosition,
    scope: toJson(event.scope),
    evidence: toJson(event.evidence),
    metadata: JSON.stringify(event.metadata),
    messages: toJson(event.messages),
  }
}

export function toRewriteRow({ sourceEventId, scope, evidence, metadata, messages }: SourceRewrite) {
  return {
    source_event_id: sourceEventId,
    scope: toJson(scope),
    evidence: toJson(evidence),
    metadata: JSON.stringify(metadata),
    messages: toJson(messages),
  }
}

export const claimColumns =
  'claim_id, revision, subject, category, claim_key, winner, is_contested, pin, updated_position'

export type ClaimRow = {
  claim_id: string
  revision: number
  subject: string
  category: string
  claim_key: string | null
  winner: string | null
  is_contested: number
  pin: string | null
  updated_position: number
}

export function toClaim(row: ClaimRow): Claim {
  return {
    claimId: row.claim_id,
    revision: row.revision,
    subject: row.subject,
    category: row.category as Category,
    claimKey: row.claim_key,
    winner: row.winner,
    isContested: row.is_contested === 1,
    pin: fromJson<Pin>(row.pin),
    updatedPosition: row.updated_position,
  }
}

export function toClaimRow(claim: Claim): ClaimRow {
  return {
    claim_id: claim.claimId,
    revision: claim.revision,
    subject: claim.subject,
    category: claim.category,
    claim_key: claim.claimKey,
    winner: claim.winner,
    is_contested: claim.isContested ? 1 : 0,
    pin: toJson(claim.pin),
    updated_position: claim.updatedPosition,
  }
}

export const assertionColumns = `claim_id, ordinal, source_event_id, candidate, service, event_id, content, content_key, importance,
       confidence, priority, observed_at, entry_id, recorded_position, withdrawn_position`

export type AssertionRow = {
  claim_id: string
  ordinal: number
  source_event_id: string
  candidate: number
  service: string | null
  event_id: string | null
  content: string
  content_key: string
  importance: number
  confidence: number
  priority: number
  observed_at: number
  entry_id: string | null
  recorded_position: number
  withdrawn_position: number | null
}

export function toAssertion(row: AssertionRow): Assertion {
  return {
    claimId: row.claim_id,
    ordinal: row.ordinal,
    sourceEventId: row.source_event_id,
    candidate: row.candidate,
    service: row.service,
    eventId: row.event_id,
    content: row.content,
    contentKey: row.content_key,
    importance: row.importance,
    confidence: row.confidence,
    priority: row.priority,
    observedAt: row.observed_at,
    entryId: row.entry_id,
    recordedPosition: row.recorded_position,
    withdrawnPosition: row.withdrawn_position,
  }
}

export function toAssertionRow(assertion: Assertion): AssertionRow {
  return {
    claim_id: assertion.claimId,
    ordinal: assertion.ordinal,
    source_event_id: assertion.sourceEventId,
    candidate: assertion.candidate,
    service: assertion.service,
    event_id: assertion.eventId,
    content: assertion.content,
    content_key: assertion.contentKey,
    importance: assertion.importance,
    confidence: assertion.confidence,
    priority: assertion.priority,
    observed_at: assertion.observedAt,
    entry_id: assertion.entryId,
    recorded_position: assertion.recordedPosition,
    withdrawn_position: assertion.withdrawnPosition,
  }
}

function fromJson<T>(text: string | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value)
}
