import type { SealedAdmin } from './admin.ts'
import type { AuditRow, Batch, Clock, SealedEnding, SealedErasure, SealedRewrite } from './batch.ts'
import { toInstant } from './check.ts'
import type { SealedCompaction } from './compaction/compaction.ts'
import { sha256, shortSha256 } from './digest.ts'
import type { EntryVersion } from './entry.ts'
import type { SourceErasure } from './forget/forgetting.ts'
import type { ImportedPosition } from './portable/imported.ts'
import type { SealedClaim } from './provenance/seal-claim.ts'
import type { SourceEvent } from './provenance/source-event.ts'

/** What a chain begins with; no record has this hash. */
export const genesisHash = '0'.repeat(64)

/**
 * The digest by which the audit knows what an entry said: its text, tags, expiry, subject and origin. The salt is stored
 * beside them and dies with them: afterwards nobody can guess the content by hashing candidates.
 */
export function contentDigest(version: DigestedVersion): string {
  const { salt, content, tags, expiresAt, subject, origin, classification } = version
  const said = [content, tags, expiresAt, subject, origin]
  return shortSha256(`${salt}${JSON.stringify(classification === null ? said : [...said, classification])}`)
}

type DigestedVersion = Pick<
  EntryVersion,
  'salt' | 'content' | 'tags' | 'expiresAt' | 'subject' | 'origin' | 'classification'
>

/** The digest by which the audit knows a source event: what was sent, by whom, about whom. Its salt dies with it. */
export function sourceDigest(event: SourceEvent): string {
  const { salt, payloadHash, service, eventId, subject, observedAt } = event
  return shortSha256(`${salt}${JSON.stringify([payloadHash, service, eventId, subject, observedAt])}`)
}

type AuditFacts = {
  readonly position: number
  readonly at: number
  readonly prev: string
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
  readonly rewrites: readonly SealedRewrite[]
  readonly erasures?: readonly SealedErasure[]
  readonly admin: readonly SealedAdmin[]
  readonly claims?: readonly SealedClaim[]
  readonly sourceEvents?: readonly SourceEvent[]
  readonly payloadsRedacted?: readonly string[]
  readonly compactions?: readonly SealedCompaction[]
  readonly historyFrom?: number | null
  readonly runsPruned?: readonly string[]
  readonly sourcesErased?: readonly SourceErasure[]
}

/**
 * The record of a batch: a body that is stored, and around it what the row and its neighbour hold anyway (instant,
 * position, previous hash, tenant). The hash is over the whole, in canonical JSON (RFC 8785). Every object below has its
 * keys in alphabetical order, so plain JSON is already canonical and costs a fraction of sorting; a test compares them.
 */
export function auditBatch(batch: Batch, facts: AuditFacts): AuditRow {
  const { mac } = batch
  const {
    erasures = [],
    claims = [],
    sourceEvents = [],
    payloadsRedacted = [],
    compactions = [],
    runsPruned = [],
    sourcesErased = [],
  } = facts
  const { historyFrom = null } = facts
  const body = JSON.stringify({
    actor: batch.actor,
    ...(facts.admin.length === 0 ? {} : { admin: facts.admin.map(toAdminNote) }),
    ...(claims.length === 0 ? {} : { claims: claims.map(toClaimNote) }),
    ...(compactions.length === 0 ? {} : { compactions: compactions.map(toCompactionNote) }),
    ...(batch.counts === null ? {} : { counts: sorted(batch.counts) }),
    ...(facts.endings.length === 0 ? {} : { ended: facts.endings.map((ending) => toEndedNote(ending, mac)) }),
    ...(erasures.length === 0 ? {} : { erased: erasures.map(({ entryId: id, version }) => ({ id, version })) }),
    ...(historyFrom === null ? {} : { historyFrom }),
    ...importedNote(batch),
    kind: batch.kind,
    ...(payloadsRedacted.length === 0 ? {} : { payloadsRedacted: payloadsRedacted.length }),
    ...(batch.redactions.length === 0 ? {} : { redactions: batch.redactions }),
    ...(facts.rewrites.length === 0 ? {} : { rewritten: facts.rewrites.map((version) => toWrittenNote(version, mac)) }),
    ...(runsPruned.length === 0 ? {} : { runsPruned }),
    ...(sourceEvents.length === 0 ? {} : { sourceEvents: sourceEvents.map(toSourceNote) }),
    ...(sourcesErased.length === 0 ? {} : { sourcesErased: sourcesErased.map(({ sourceEventId }) => sourceEventId) }),
    ...(facts.versions.length === 0 ? {} : { written: facts.versions.map((version) => toWrittenNote(version, mac)) }),
  })
  const { position, at } = facts
  return {
    position,
    at,
    body,
    hash: sha256(recordOf({ position, at, body }, batch.tenantId, facts.prev)),
    refs: refsOf(facts),
  }
}

/** The canonical JSON that a row's hash is over. */
export function recordOf(row: Pick<AuditRow, 'position' | 'at' | 'body'>, tenantId: string, prev: string): string {
  return `{"at":"${toInstant(row.at)}","body":${row.body},"position":${row.position},"prev":"${prev}","tenant":"${tenantId}","v":1}`
}

/** What stands for a position that was imported: the instant and the hash it had in the chain it comes from. */
function toPositionNote({ at, hash, position }: ImportedPosition) {
  return { at: toInstant(at), hash, position }
}

/** The body of an imported position that no batch ends at. */
export function importedBody(actor: string, row: ImportedPosition): string {
  return JSON.stringify({ actor, imported: toPositionNote(row), kind: 'memory.imported' })
}

function importedNote({ imported }: Batch) {
  const last = imported?.positions.at(-1)
  if (last !== undefined) return { imported: toPositionNote(last) }
  if (imported?.source === undefined) return {}
  const { head, position, signature, tenant } = imported.source
  const { keyId, status } = signature
  const signed = keyId === undefined ? { status } : { keyId, status }
  return { importedFrom: { head, position, signature: signed, tenant } }
}

function sorted(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)))
}

function toWrittenNote(version: EntryVersion, mac: Batch['mac']) {
  const subject = version.subject === null ? {} : { subject: mac(version.subject) }
  return {
    digest: contentDigest(version),
    id: version.entryId,
    ref: mac(version.memoryRef),
    ...subject,
    version: version.version,
  }
}

function toEndedNote(ending: SealedEnding, mac: Batch['mac']) {
  return { id: ending.entryId, reason: ending.endedReason, ref: mac(ending.memoryRef), version: ending.version }
}

function toAdminNote({ id, kind, record, revision }: SealedAdmin) {
  return { change: record === null ? 'removed' : revision === 1 ? 'created' : 'changed', id, kind, revision }
}

function toClaimNote({ claim, isRemoved }: SealedClaim) {
  const winner = claim.winner === null ? {} : { winner: claim.winner }
  const removed = isRemoved ? { removed: true } : {}
  return { id: claim.claimId, pinned: claim.pin !== null, ...removed, revision: claim.revision, ...winner }
}

function toCompactionNote({ compaction }: SealedCompaction) {
  const { compactionId, outputId, sourceCount, status } = compaction
  return { change: status === 'undone' ? 'undone' : 'made', id: compactionId, output: outputId, sources: sourceCount }
}

function toSourceNote(event: SourceEvent) {
  return { digest: sourceDigest(event), id: event.sourceEventId }
}

/** The refs in the order in which the record first names them, what was written, then ended, then rewritten. */
function refsOf({ versions, endings, rewrites }: AuditFacts): string[] {
  return [...new Set([...versions, ...endings, ...rewrites].map((entry) => entry.memoryRef))]
}

/** What a record says about each ref, with the refs in clear; nothing when they were erased. */
export function changesOf(row: AuditRow): RefChange[] {
  if (row.refs === null) return []
  const { written = [], ended = [], rewritten = [] } = parseBody(row)
  const byRef = new Map<string, { entryIds: Set<string>; reason?: string }>()
  for (const note of [...written, ...ended, ...rewritten]) {
    const change = byRef.get(note.ref) ?? { entryIds: new Set<string>() }
    change.entryIds.add(note.id)
    byRef.set(note.ref, 'reason' in note ? { ...change, reason: note.reason } : change)
  }
  const changes = [...byRef.values()].map(({ entryIds, ...change }, index) => ({
    memoryRef: row.refs?.[index] ?? '',
    entryIds: [...entryIds],
    ...change,
  }))
  // A ref that was forgotten left its place empty, so that the others keep theirs.
  return changes.filter(({ memoryRef }) => memoryRef !== '')
}

/** Which entries of one ref a position changed: identifiers only. */
export type RefChange = { readonly memoryRef: string; readonly entryIds: readonly string[]; readonly reason?: string }

/** The end of a chain at some moment: kept elsewhere, it proves later that nothing before it was changed. */
export type AuditHead = { readonly tenant: string; readonly position: number; readonly hash: string }

export type AuditFault = {
  readonly position: number
  readonly problem: 'missing' | 'edited' | 'tail' | 'head' | 'content'
}

export type AuditVerdict = {
  readonly ok: boolean
  readonly from: number
  readonly to: number
  readonly checked: number
  readonly fault?: AuditFault
  /** Of the last record that holds: what the faulty one should have followed. */
  readonly lastHash?: string
}

/** Follows a chain record by record and stops at the first one that does not fit. */
export class ChainChecker {
  readonly tenantId: string
  #expected: number
  #prev: string
  #checked = 0

  constructor(tenantId: string, from: number, prev: string) {
    this.tenantId = tenantId
    this.#expected = from
    this.#prev = prev
  }

  get checked(): number {
    return this.#checked
  }

  get lastHash(): string {
    return this.#prev
  }

  check(row: AuditRow): AuditFault | null {
    const position = this.#expected
    if (row.position !== position) return { position, problem: 'missing' }
    // Whatever was changed, the row itself, the one before it or their order, this hash is another one.
    if (sha256(recordOf(row, this.tenantId, this.#prev)) !== row.hash) return { position, problem: 'edited' }
    this.#prev = row.hash
    this.#expected += 1
    this.#checked += 1
    return null
  }
}

type WrittenNote = { readonly id: string; readonly version: number; readonly ref: string; readonly digest: string }
type EndedNote = { readonly id: string; readonly version: number; readonly ref: string; readonly reason: string }

export type AuditBody = {
  readonly kind: string
  readonly actor: string
  readonly sourceEvents?: readonly { readonly id: string; readonly digest: string }[]
  readonly written?: readonly WrittenNote[]
  readonly ended?: readonly EndedNote[]
  readonly rewritten?: readonly WrittenNote[]
  /** The record stands for a position that was imported: the instant and the hash it had there. */
  readonly imported?: { readonly at: string; readonly hash: string; readonly position: number }
  readonly redactions?: readonly { readonly rule: string; readonly field: string; readonly count: number }[]
}

/** Only of rows whose chain holds or whose damage does not matter: a broken body reads as an empty one. */
export function parseBody(row: AuditRow): AuditBody {
  try {
    return JSON.parse(row.body) as AuditBody
  } catch {
    return { kind: 'unknown', actor: 'unknown' }
  }
}

/** The end of the chain must be where the clock says: a cut-off tail leaves a chain that is sound in itself. */
export function checkTail(clock: Clock, position: number, lastHash: string): AuditFault | null {
  return clock.position === position && clock.lastHash === lastHash
    ? null
    : { position: clock.position, problem: 'tail' }
}
