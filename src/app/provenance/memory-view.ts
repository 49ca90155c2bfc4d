import { parseBody } from '../../core/audit.ts'
import type { AuditRow } from '../../core/batch.ts'
import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { type Assertion, byRank, shownConfidence } from '../../core/provenance/claim.ts'
import type { SourceEvent } from '../../core/provenance/source-event.ts'
import type { Deps } from '../deps.ts'

/** Who told it: the event as readers of a memory see it. */
export type Provenance = {
  readonly service: string
  readonly event_id: string
  readonly observed_at: string
  readonly received_at: string
  readonly payload_hash: string
  readonly scope: unknown
  readonly evidence?: unknown
}

export type MemoryView = {
  readonly id: string
  readonly memory_ref: string
  readonly content: string
  readonly category: string
  readonly importance_score: number
  readonly confidence_score: number
  readonly claim_key: string | null
  readonly status: 'active' | 'superseded' | 'archived'
  readonly version: number
  readonly sources: number
  readonly tags: readonly string[]
  readonly created_at: string
  readonly updated_at: string
  readonly observed_at: string
  readonly expires_at?: string
  readonly source_event_id: string | null
  readonly provenance: Provenance | null
  readonly attribution: Attribution
}

export type Attribution = {
  readonly api_key_id: string | null
  readonly run_id?: string
  readonly node_id?: string
  readonly agent_id?: string
}

export function toProvenance(event: SourceEvent | null): Provenance | null {
  if (event === null || event.service === null || event.eventId === null) return null
  return {
    service: event.service,
    event_id: event.eventId,
    observed_at: toInstant(event.observedAt),
    received_at: toInstant(event.receivedAt),
    payload_hash: event.payloadHash,
    scope: event.scope,
    ...(event.evidence === null ? {} : { evidence: event.evidence }),
  }
}

/** The assertions that support an entry's content, best first, as far as they were known at a position. */
export async function supportersOf(
  deps: Deps,
  tenantId: string,
  entry: EntryVersion,
  position: number,
): Promise<readonly Assertion[]> {
  const claimId = entry.classification?.claimId
  if (!claimId) return []
  const all = await deps.storage.provenance.assertions(tenantId, claimId)
  const own = all.find(({ entryId }) => entryId === entry.entryId)
  return all.filter(
    ({ contentKey, recordedPosition, withdrawnPosition }) =>
      contentKey === own?.contentKey &&
      recordedPosition <= position &&
      (withdrawnPosition === null || withdrawnPosition > position),
  )
}

export async function toMemoryView(
  deps: Deps,
  tenantId: string,
  entry: EntryVersion,
  position = Number.MAX_SAFE_INTEGER,
): Promise<MemoryView> {
  const supporters = await supportersOf(deps, tenantId, entry, position)
  const known = entry.classification ?? defaultClassification
  const best = bestOf(supporters)
  const sourceEventId = best?.sourceEventId ?? known.sourceEventId
  const event = sourceEventId === null ? null : await deps.storage.provenance.sourceEvent(tenantId, sourceEventId)
  const record = await recordAt(deps, tenantId, entry.recordedPosition)
  return {
    id: entry.entryId,
    memory_ref: entry.memoryRef,
    content: entry.content,
    category: known.category,
    importance_score: known.importance,
    confidence_score: supporters.length === 0 ? known.confidence : shownConfidence(supporters),
    claim_key: known.claimKey,
    status: statusOf(entry, position),
    version: entry.version,
    sources: new Set(supporters.map((assertion) => assertion.sourceEventId)).size,
    tags: entry.tags,
    created_at: toInstant(entry.createdAt),
    updated_at: toInstant(record?.at ?? entry.createdAt),
    observed_at: toInstant(best?.observedAt ?? entry.createdAt),
    ...(entry.expiresAt === null ? {} : { expires_at: toInstant(entry.expiresAt) }),
    source_event_id: event?.eventId ?? null,
    provenance: toProvenance(event),
    attribution: attributionOf(entry, record),
  }
}

function bestOf(supporters: readonly Assertion[]): Assertion | undefined {
  return [...supporters].sort(byRank)[0]
}

function statusOf({ endedPosition, endedReason }: EntryVersion, position: number): MemoryView['status'] {
  if (endedPosition === null || endedPosition > position) return 'active'
  return endedReason === 'archived' ? 'archived' : 'superseded'
}

async function recordAt(deps: Deps, tenantId: string, position: number): Promise<AuditRow | undefined> {
  const [row] = await deps.storage.audit({ tenantId, from: position, to: position, limit: 1 })
  return row
}

function attributionOf({ origin }: EntryVersion, record: AuditRow | undefined): Attribution {
  if (origin.kind === 'run' || origin.kind === 'session') {
    const { runId, nodeId, agentId } = origin
    return {
      api_key_id: null,
      run_id: runId,
      ...(nodeId === undefined ? {} : { node_id: nodeId }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    }
  }
  const keyId = ('keyId' in origin ? origin.keyId : undefined) ?? keyOf(record)
  const agentId = 'agentId' in origin ? origin.agentId : undefined
  return {
    api_key_id: keyId,
    ...(agentId === undefined ? {} : { agent_id: agentId }),
  }
}

/** The key that made a commit. A record names all that was written, so it is read only where the entry does not know its key. */
function keyOf(record: AuditRow | undefined): string | null {
  const actor = record === undefined ? '' : parseBody(record).actor
  return actor.startsWith('key:') ? actor.slice('key:'.length) : null
}
