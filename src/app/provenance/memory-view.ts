import { keyOfActor } from '../../core/access/actor.ts'
import { isAlwaysIncluded } from '../../core/entries/always-include.ts'
import type { EntryVersion } from '../../core/entries/entry.ts'
import { actorOfExcerpt, actorOfWrite, isAuthorRecorded, nameInList } from '../../core/entries/entry-audit.ts'
import type { Readers } from '../../core/entries/readers.ts'
import { isBelow, type Trust } from '../../core/entries/trust.ts'
import { type Category, defaultClassification } from '../../core/provenance/category.ts'
import type { Assertion } from '../../core/provenance/claim.ts'
import { countWriters, shownConfidence } from '../../core/provenance/resolve-conflict.ts'
import { isEdit } from '../../core/provenance/source-event.ts'
import { bestOf, supportersAmong } from '../../core/provenance/supporters.ts'
import type { SourceEventSummary } from '../../ports/provenance-store.ts'
import { mayRead, trustFloorOf } from '../entries/read-access.ts'
import type { Tenant } from '../tenant.ts'

/** A memory about a person: one entry with the support of its sources. */
export type Memory = {
  readonly id: string
  readonly memoryRef: string
  readonly content: string
  readonly category: Category
  readonly importance: number
  readonly confidence: number
  readonly claimKey: string | null
  readonly status: 'active' | 'superseded' | 'archived' | 'contained'
  readonly version: number
  /** How many source events stated it. */
  readonly sources: number
  /** How many different writers stated it; assertions without a writer count by key. */
  readonly writers: number
  readonly tags: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly observedAt: number
  readonly expiresAt: number | null
  /** The source event of the best assertion; null for a memory that a client or a run wrote. */
  readonly source: SourceEventSummary | null
  /** The source service; null if a client or a run wrote it. An entry without a claim has it from its origin. */
  readonly service: string | null
  readonly attribution: Attribution
  readonly trust: Trust
  /** It is current and below the tenant's floor: lists, searches and prompts leave it out. */
  readonly isQuarantined: boolean
  /** Who inside the tenant may read it; null for everyone. */
  readonly readers: Readers
  /** It is in every prompt about its subject. */
  readonly isAlwaysIncluded: boolean
}

/** The API key, or the run with node and agent, that a memory is attributed to. */
export type Attribution = {
  readonly keyId: string | null
  readonly runId?: string
  readonly nodeId?: string
  readonly agentId?: string
}

/** A source event that a service sent. Events of calls without a source service have no provenance. */
type Named = { readonly service: string; readonly eventId: string }
export type ServiceSourceEvent = SourceEventSummary & Named

export function isFromService<T extends SourceEventSummary>(event: T | null): event is T & Named {
  return event !== null && event.service !== null && event.eventId !== null
}

/** The assertions that support an entry's content at a position, best first. */
export async function supportersOf(
  tenant: Tenant,
  entry: EntryVersion,
  position: number,
): Promise<readonly Assertion[]> {
  const claimId = entry.classification?.claimId
  if (!claimId) return []
  return supportersAmong(await tenant.storage.provenance.assertions(tenant.id, claimId), entry, position)
}

/** Among the assertions of a claim, those for the contents of an entry, including withdrawn ones. */
export function assertionsOfEntry(all: readonly Assertion[], entryId: string): readonly Assertion[] {
  const keys = new Set(all.flatMap((item) => (item.entryId === entryId ? [item.contentKey] : [])))
  // A buffered assertion has no entry. A content that was deleted and stated again has another entry.
  return all.filter((item) => keys.has(item.contentKey) && (item.entryId === entryId || item.entryId === null))
}

export async function toMemory(tenant: Tenant, entry: EntryVersion): Promise<Memory> {
  const [memory] = await toMemories(tenant, [entry], Number.MAX_SAFE_INTEGER)
  return memory as Memory
}

/** Turns entries into memories, with a fixed number of reads per page. */
export async function toMemories(
  tenant: Tenant,
  entries: readonly EntryVersion[],
  position: number,
): Promise<Memory[]> {
  if (entries.length === 0) return []
  const { provenance } = tenant.storage
  const claimIds = distinct(entries.map(({ classification }) => classification?.claimId))
  const unattributed = entries.filter(isAuthorRecorded)
  const attributed = entries.filter((entry) => !isAuthorRecorded(entry))
  const [assertions, instants, writes, floor] = await Promise.all([
    claimIds.length === 0 ? [] : provenance.assertionsOfClaims(tenant.id, claimIds),
    attributed.length === 0 ? noInstants : provenance.instants(tenant.id, positionsOf(attributed)),
    readWrites(tenant, unattributed),
    trustFloorOf(tenant),
  ])
  const actorOf = (entry: EntryVersion) => (isAuthorRecorded(entry) ? (writes.get(entry)?.actor ?? '') : undefined)
  const instantOf = (entry: EntryVersion) => instants.get(entry.recordedPosition) ?? writes.get(entry)?.at
  const byClaim = Map.groupBy(assertions, ({ claimId }) => claimId)
  const supported = entries.map((entry) => {
    const known = entry.classification ?? defaultClassification
    const supporters = supportersAmong(byClaim.get(known.claimId ?? '') ?? [], entry, position)
    const best = bestOf(supporters, entry.trust)
    return { entry, known, supporters, best, sourceEventId: best?.sourceEventId ?? known.sourceEventId }
  })
  const ids = distinct(supported.map(({ sourceEventId }) => sourceEventId))
  const summaries = ids.length === 0 ? [] : await provenance.sourceEventSummaries(tenant.id, ids)
  // An event has the readers of its call: they can be fewer than those of the memory today.
  const readable = summaries.filter(({ readers }) => mayRead(tenant, readers))
  const byId = new Map(readable.map((summary) => [summary.sourceEventId, summary]))
  return supported.map(({ entry, known, supporters, best, sourceEventId }) => ({
    id: entry.entryId,
    memoryRef: entry.memoryRef,
    content: entry.content,
    category: known.category,
    importance: known.importance,
    confidence: supporters.length === 0 ? known.confidence : shownConfidence(supporters),
    claimKey: known.claimKey,
    status: statusOf(entry, position),
    version: entry.version,
    sources: new Set(supporters.map((assertion) => assertion.sourceEventId)).size,
    // A memory without a claim has one writer: the client or the run that wrote it.
    writers: known.claimId === null ? 1 : countWriters(supporters),
    tags: entry.tags,
    createdAt: entry.createdAt,
    updatedAt: instantOf(entry) ?? entry.createdAt,
    observedAt: best?.observedAt ?? known.observedAt ?? entry.createdAt,
    expiresAt: entry.expiresAt,
    source: byId.get(sourceEventId ?? '') ?? null,
    service: byId.get(sourceEventId ?? '')?.service ?? serviceOfOrigin(entry, known.claimId),
    attribution: attributionOf(entry, best, byId.get(sourceEventId ?? ''), actorOf(entry)),
    trust: entry.trust,
    isQuarantined: statusOf(entry, position) === 'active' && isBelow(entry.trust, floor),
    readers: entry.readers,
    isAlwaysIncluded: isAlwaysIncluded(entry),
  }))
}

function distinct<T>(values: readonly (T | null | undefined)[]): T[] {
  return [...new Set(values.filter((value) => value !== null && value !== undefined))]
}

function statusOf({ endedPosition, endedReason }: EntryVersion, position: number): Memory['status'] {
  if (endedPosition === null || endedPosition > position) return 'active'
  return endedReason === 'archived' || endedReason === 'contained' ? endedReason : 'superseded'
}

const noInstants: ReadonlyMap<number, number> = new Map()

function positionsOf(entries: readonly EntryVersion[]): number[] {
  return distinct(entries.map(({ recordedPosition }) => recordedPosition))
}

type Write = { readonly at: number; readonly actor: string | null }

/** When and by which actor versions were written, as the audit says. One record names all entries of its commit and can be long: only its beginning is read. */
async function readWrites(tenant: Tenant, entries: readonly EntryVersion[]): Promise<ReadonlyMap<EntryVersion, Write>> {
  if (entries.length === 0) return new Map()
  const excerpts = await tenant.storage.provenance.writeExcerpts(
    tenant.id,
    entries.map(({ recordedPosition, entryId }) => ({ position: recordedPosition, name: nameInList(entryId) })),
  )
  const writes = await Promise.all(
    entries.map(async (entry, nth): Promise<[EntryVersion, Write][]> => {
      const excerpt = excerpts[nth] ?? null
      if (excerpt === null) return []
      return [[entry, { at: excerpt.at, actor: actorOfExcerpt(excerpt) ?? (await readActor(tenant, entry)) }]]
    }),
  )
  return new Map(writes.flat())
}

/** Of the whole record: an import names no entries, and an actor can have any characters. */
async function readActor(tenant: Tenant, { recordedPosition, entryId }: EntryVersion): Promise<string | null> {
  const at = { from: recordedPosition, to: recordedPosition, limit: 1 }
  const [row] = await tenant.storage.audit({ tenantId: tenant.id, ...at })
  return actorOfWrite(row, entryId)
}

function serviceOfOrigin({ origin }: EntryVersion, claimId: string | null): string | null {
  return claimId === null && origin.kind === 'service' ? origin.service : null
}

/** The attribution of the best assertion; for a memory without a claim, of the client or run that wrote it. */
function attributionOf(
  { origin }: EntryVersion,
  best: Assertion | undefined,
  source: SourceEventSummary | undefined,
  actor = '',
): Attribution {
  // An edit is attributed to the editor's key only: the agent of the memory did not state it.
  if (best !== undefined && source !== undefined && isEdit(source)) return { keyId: keyOf(best.actor ?? '') }
  if (best !== undefined && 'sourceEventId' in origin && origin.sourceEventId !== best.sourceEventId)
    return { keyId: keyOf(best.actor ?? '') }
  if (origin.kind === 'run' || origin.kind === 'session') {
    const { runId, nodeId, agentId } = origin
    return {
      keyId: null,
      runId,
      ...(nodeId === undefined ? {} : { nodeId }),
      ...(agentId === undefined ? {} : { agentId }),
    }
  }
  const keyId = ('keyId' in origin ? origin.keyId : undefined) ?? keyOf(actor)
  const agentId = 'agentId' in origin ? origin.agentId : undefined
  return { keyId, ...(agentId === undefined ? {} : { agentId }) }
}

function keyOf(actor: string): string | null {
  return keyOfActor(actor).keyId ?? null
}
