import type { z } from 'zod'
import type { HistoryStep } from '../../../app/provenance/memory-history.ts'
import {
  isFromService,
  type Memory as KnownMemory,
  type ServiceSourceEvent,
} from '../../../app/provenance/memory-view.ts'
import type { Retrieval as FoundMemories } from '../../../app/provenance/retrieve.ts'
import { keyOfActor } from '../../../core/access/actor.ts'
import { toInstant } from '../../../core/check.ts'
import type { History } from '../schemas/history.ts'
import type { ChangedMemory, Memory, Retrieval } from '../schemas/memories.ts'
import type { Provenance, SourceList } from '../schemas/provenance.ts'
import { toSnake } from '../snake-case.ts'

export function toMemoryView(memory: KnownMemory, mayAudit: boolean): z.output<typeof Memory> {
  const { claimKey, status, version, sources, writers, tags, updatedAt, observedAt, expiresAt } = memory
  return {
    ...factsOf(memory, mayAudit),
    claim_key: claimKey,
    status,
    version,
    sources,
    writers,
    tags,
    updated_at: toInstant(updatedAt),
    observed_at: toInstant(observedAt),
    ...(expiresAt === null ? {} : { expires_at: toInstant(expiresAt) }),
  }
}

export function isAuditor(scopes: readonly string[]): boolean {
  return scopes.includes('audit:read')
}

/** The view for a key that can change memories but lacks `memory:read`: without the content of sources. */
export function toChangedView(memory: KnownMemory, scopes: readonly string[]): z.output<typeof ChangedMemory> {
  const view = toMemoryView(memory, isAuditor(scopes))
  if (scopes.includes('memory:read')) return view
  const { content: _hidden, provenance, ...facts } = view
  if (provenance === null) return { ...facts, provenance }
  const { evidence: _unseen, ...source } = provenance
  // The hash of a short text reveals it: a client can hash all likely texts.
  const hash = isAuditor(scopes) ? source.payload_hash : null
  return { ...facts, provenance: { ...source, scope: null, payload_hash: hash } }
}

export function toRetrievalView(
  { retrievalId, memories, context, isDegraded }: FoundMemories,
  mayAudit: boolean,
  explains: boolean,
): z.output<typeof Retrieval> {
  return {
    retrieval_id: retrievalId,
    data: memories.map((memory) => ({
      ...factsOf(memory, mayAudit),
      relevance_score: memory.relevance,
      ...(explains ? { why: whyOf(memory) } : {}),
    })),
    system_prompt_addition: context.text,
    context_token_count: context.tokens,
    ...(isDegraded ? { degraded: 'semantic' } : {}),
  }
}

function whyOf({ isAlwaysIncluded, leftOut }: FoundMemories['memories'][number]) {
  return {
    included: isAlwaysIncluded ? ('always_include' as const) : ('match' as const),
    in_prompt: leftOut === undefined,
    ...(leftOut === undefined ? {} : { left_out: leftOut }),
  }
}

function factsOf(
  { id, memoryRef, content, category, createdAt, source, attribution, ...memory }: KnownMemory,
  mayAudit: boolean,
) {
  const { keyId, ...writer } = attribution
  return {
    id,
    memory_ref: memoryRef,
    content,
    category,
    importance_score: memory.importance,
    confidence_score: memory.confidence,
    created_at: toInstant(createdAt),
    source_event_id: source?.eventId ?? null,
    provenance: isFromService(source) ? toProvenance(source, mayAudit) : null,
    attribution: { api_key_id: keyId, ...toSnake(writer) },
    trust: memory.trust,
    ...(memory.isQuarantined ? { quarantined: true as const } : {}),
    ...(memory.readers === null ? {} : { readers: memory.readers }),
    ...(memory.isAlwaysIncluded ? { always_include: true as const } : {}),
  }
}

/** The hash of messages with a secret would help to guess it, so it needs the scope audit:read. */
function toProvenance(source: ServiceSourceEvent, mayAudit: boolean): z.output<typeof Provenance> {
  return {
    service: source.service,
    event_id: source.eventId,
    observed_at: toInstant(source.observedAt),
    received_at: toInstant(source.receivedAt),
    payload_hash: source.isHashPrivate && !mayAudit ? null : source.payloadHash,
    scope: source.scope,
    ...(source.evidence === null ? {} : { evidence: source.evidence }),
  }
}

/** A source event of a memory, with the key that sent it. */
export function toSourceOfMemory(
  source: ServiceSourceEvent,
  mayAudit: boolean,
): z.output<typeof SourceList>['data'][number] {
  return { ...toProvenance(source, mayAudit), api_key_id: keyOfActor(source.actor).keyId ?? null }
}

export function toHistoryView(steps: readonly HistoryStep[]): z.output<typeof History> {
  const data = steps.map(({ version, content, change, reason, actor, at }) => ({
    version_number: version,
    content,
    change_type: change,
    change_reason: reason,
    actor,
    created_at: toInstant(at),
  }))
  return { data }
}
