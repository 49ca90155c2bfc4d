import { parseBody } from '../../core/audit.ts'
import { toInstant } from '../../core/check.ts'
import type { EntryVersion } from '../../core/entry.ts'
import { defaultClassification } from '../../core/provenance/category.ts'
import { type Assertion, byRank, shownConfidence } from '../../core/provenance/claim.ts'
import type { Teller } from '../../ports/provenance-store.ts'
import type { Tenant } from '../tenant.ts'

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

export function toProvenance(event: Teller | null): Provenance | null {
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
  tenant: Tenant,
  entry: EntryVersion,
  position: number,
): Promise<readonly Assertion[]> {
  const claimId = entry.classification?.claimId
  if (!claimId) return []
  return supportersAmong(await tenant.storage.provenance.assertions(tenant.id, claimId), entry, position)
}

function supportersAmong(all: readonly Assertion[], { entryId }: EntryVersion, position: number): Assertion[] {
  const own = all.find((assertion) => assertion.entryId === entryId)
  return all.filter(
    ({ contentKey, recordedPosition, withdrawnPosition }) =>
      contentKey === own?.contentKey &&
      recordedPosition <= position &&
      (withdrawnPosition === null || withdrawnPosition > position),
  )
}

export async function toMemoryView(
  tenant: Tenant,
  entry: EntryVersion,
  position = Number.MAX_SAFE_INTEGER,
): Promise<MemoryView> {
  const [view] = await toMemoryViews(tenant, [entry], position)
  return view as MemoryView
}

/** All of them with a few reads, however many there are. */
export async function toMemoryViews(
  tenant: Tenant,
  entries: readonly EntryVersion[],
  position: number,
): Promise<MemoryView[]> {
  if (entries.length === 0) return []
  const { provenance } = tenant.storage
  const claimIds = distinct(entries.map(({ classification }) => classification?.claimId))
  const [assertions, instants, actors] = await Promise.all([
    claimIds.length === 0 ? [] : provenance.assertionsOfClaims(tenant.id, claimIds),
    provenance.instants(tenant.id, distinct(entries.map(({ recordedPosition }) => recordedPosition))),
    readActors(tenant, entries),
  ])
  const byClaim = Map.groupBy(assertions, ({ claimId }) => claimId)
  const told = entries.map((entry) => {
    const known = entry.classification ?? defaultClassification
    const supporters = supportersAmong(byClaim.get(known.claimId ?? '') ?? [], entry, position)
    const best = bestOf(supporters)
    return { entry, known, supporters, best, sourceEventId: best?.sourceEventId ?? known.sourceEventId }
  })
  const ids = distinct(told.map(({ sourceEventId }) => sourceEventId))
  const tellers = ids.length === 0 ? [] : await provenance.tellers(tenant.id, ids)
  const byId = new Map(tellers.map((teller) => [teller.sourceEventId, teller]))
  return told.map(({ entry, known, supporters, best, sourceEventId }) => {
    const event = byId.get(sourceEventId ?? '') ?? null
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
      updated_at: toInstant(instants.get(entry.recordedPosition) ?? entry.createdAt),
      observed_at: toInstant(best?.observedAt ?? entry.createdAt),
      ...(entry.expiresAt === null ? {} : { expires_at: toInstant(entry.expiresAt) }),
      source_event_id: event?.eventId ?? null,
      provenance: toProvenance(event),
      attribution: attributionOf(entry, actors.get(entry.recordedPosition)),
    }
  })
}

function distinct<T>(values: readonly (T | null | undefined)[]): T[] {
  return [...new Set(values.filter((value) => value !== null && value !== undefined))]
}

function bestOf(supporters: readonly Assertion[]): Assertion | undefined {
  return [...supporters].sort(byRank)[0]
}

function statusOf({ endedPosition, endedReason }: EntryVersion, position: number): MemoryView['status'] {
  if (endedPosition === null || endedPosition > position) return 'active'
  return endedReason === 'archived' ? 'archived' : 'superseded'
}

/** Who made the commits of entries that do not know it themselves. A record names all that was written: few have to be read. */
async function readActors(tenant: Tenant, entries: readonly EntryVersion[]): Promise<ReadonlyMap<number, string>> {
  const asked = distinct(entries.filter(({ origin }) => isUnattributed(origin)).map((entry) => entry.recordedPosition))
  const actors = await Promise.all(
    asked.map(async (position): Promise<[number, string]> => {
      const [row] = await tenant.storage.audit({ tenantId: tenant.id, from: position, to: position, limit: 1 })
      return [position, row === undefined ? '' : parseBody(row).actor]
    }),
  )
  return new Map(actors)
}

function isUnattributed(origin: EntryVersion['origin']): boolean {
  const isOfRun = origin.kind === 'run' || origin.kind === 'session'
  return !isOfRun && !('keyId' in origin && origin.keyId !== undefined)
}

function attributionOf({ origin }: EntryVersion, actor = ''): Attribution {
  if (origin.kind === 'run' || origin.kind === 'session') {
    const { runId, nodeId, agentId } = origin
    return {
      api_key_id: null,
      run_id: runId,
      ...(nodeId === undefined ? {} : { node_id: nodeId }),
      ...(agentId === undefined ? {} : { agent_id: agentId }),
    }
  }
  const keyId = ('keyId' in origin ? origin.keyId : undefined) ?? keyOf(actor)
  const agentId = 'agentId' in origin ? origin.agentId : undefined
  return {
    api_key_id: keyId,
    ...(agentId === undefined ? {} : { agent_id: agentId }),
  }
}

function keyOf(actor: string): string | null {
  return actor.startsWith('key:') ? actor.slice('key:'.length) : null
}
