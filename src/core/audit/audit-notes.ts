import type { SealedAdmin } from '../admin.ts'
import { toInstant } from '../check.ts'
import type { Batch, SealedEnding, SealedErasure, SealedRewrite } from '../commit/batch.ts'
import type { SealedCompaction } from '../compaction/compaction.ts'
import type { EntryVersion } from '../entries/entry.ts'
import type { SealedForgetting, SourceErasure } from '../forget/forgetting.ts'
import type { ImportedPosition } from '../portable/imported.ts'
import type { SealedClaim } from '../provenance/seal-claim.ts'
import type { SourceEvent } from '../provenance/source-event.ts'
import type { SealedRun } from '../run/run.ts'
import { isRecordedEnd } from '../run/run-record.ts'
import { shortSha256 } from './digest.ts'
import {
  adminDigest,
  assertionsDigest,
  claimDigest,
  compactionDigest,
  fenceDigest,
  lineageDigest,
  messagesDigest,
  runDigest,
  sourceDigest,
  versionDigest,
} from './row-digests.ts'

/** The form of the notes below. Records without a form are from before every stored row had a digest. */
export const auditForm = 2

export type AuditFacts = {
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
  readonly sourceRewrites?: readonly SourceEvent[]
  readonly payloadsRedacted?: readonly string[]
  readonly compactions?: readonly SealedCompaction[]
  readonly historyFrom?: number | null
  readonly runs?: readonly SealedRun[]
  readonly runsPruned?: readonly string[]
  readonly forgetting?: SealedForgetting
}

/**
 * What a record says of a batch, without content: from the bodies of all records the stored rows can be told, each by a digest.
 * Every object here has its keys in alphabetical order, so plain JSON is already canonical and costs a fraction of
 * sorting; a test compares them.
 */
export function bodyOf(batch: Batch, facts: AuditFacts): string {
  const { mac } = batch
  const { erasures = [], claims = [], sourceEvents = [], sourceRewrites = [], payloadsRedacted = [] } = facts
  const { compactions = [], runs = [], runsPruned = [], historyFrom = null, forgetting, position } = facts
  const { sources = [], auditRefs = [], fences = [], compactions: compactionsErased = [] } = forgetting ?? {}
  const ended = runs.filter(({ run }) => isRecordedEnd(run))
  return JSON.stringify({
    actor: batch.actor,
    ...some('admin', facts.admin, (change) => toAdminNote(change, mac)),
    ...some('claims', claims, (claim) => toClaimNote(claim, mac)),
    ...some('compactions', compactions, (compaction) => toCompactionNote(compaction, mac)),
    ...some('compactionsErased', compactionsErased, (id) => id),
    ...(batch.counts === null ? {} : { counts: sorted(batch.counts) }),
    ...some('ended', facts.endings, (ending) => toEndedNote(ending, mac)),
    ...some('erased', erasures, ({ entryId: id, version }) => ({ id, version })),
    ...some('fences', fences, (change) => toFenceNote(change, mac)),
    ...(historyFrom === null ? {} : { historyFrom }),
    ...importedNote(batch),
    kind: batch.kind,
    ...some('payloads', payloadsRedacted, (id) => id),
    ...(payloadsRedacted.length === 0 ? {} : { payloadsRedacted: payloadsRedacted.length }),
    ...(batch.redactions.length === 0 ? {} : { redactions: batch.redactions }),
    ...some('refsErased', auditRefs, (row) => row.position),
    ...some('rewritten', facts.rewrites, (version) => toWrittenNote(version, mac, null)),
    ...some('runs', ended, ({ run }) => ({ digest: runDigest(mac, run), id: run.runId })),
    ...(runsPruned.length === 0 ? {} : { runsPruned }),
    ...some('sourceEvents', sourceEvents, toSourceNote),
    ...some('sourcesErased', sources, ({ sourceEventId }) => sourceEventId),
    ...some('sourcesRewritten', sourceRewrites, toSourceNote),
    ...some('tombstones', sources, toTombstoneNote),
    v: auditForm,
    ...some('written', facts.versions, (version) => toWrittenNote(version, mac, position)),
  })
}

/** The member, unless there is nothing to note. */
function some<Name extends string, Item>(name: Name, items: readonly Item[], toNote: (item: Item) => unknown) {
  return items.length === 0 ? {} : { [name]: items.map(toNote) }
}

/** What stands for a position that was imported: the instant and the hash it had in the chain it comes from. */
function toPositionNote({ at, hash, position }: ImportedPosition) {
  return { at: toInstant(at), hash, position }
}

/** The body of an imported position that no batch ends at. */
export function importedBody(actor: string, row: ImportedPosition): string {
  return JSON.stringify({ actor, imported: toPositionNote(row), kind: 'memory.imported', v: auditForm })
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

/** A version that begins and is over already (it loses its claim, or comes with an import) has its end here. */
function toWrittenNote(version: EntryVersion, mac: Batch['mac'], writtenAt: number | null): WrittenNote {
  const { endedPosition, endedReason } = version
  const isOver = writtenAt !== null && endedPosition !== null
  return {
    digest: versionDigest(version),
    ...(isOver ? { ended: [endedPosition, endedReason ?? ''] as const } : {}),
    id: version.entryId,
    ref: mac(version.memoryRef),
    ...(version.subject === null ? {} : { subject: mac(version.subject) }),
    version: version.version,
  }
}

function toEndedNote(ending: SealedEnding, mac: Batch['mac']): EndedNote {
  return { id: ending.entryId, reason: ending.endedReason, ref: mac(ending.memoryRef), version: ending.version }
}

function toAdminNote({ id, kind, record, revision }: SealedAdmin, mac: Batch['mac']): AdminNote {
  if (record === null) return { change: 'removed', id, kind, revision }
  return { change: revision === 1 ? 'created' : 'changed', digest: adminDigest(mac, record), id, kind, revision }
}

function toClaimNote({ claim, isRemoved, after }: SealedClaim, mac: Batch['mac']): ClaimNote {
  const { claimId: id, revision } = claim
  const winner = claim.winner === null ? {} : { winner: claim.winner }
  const pinned = claim.pin !== null
  if (isRemoved) return { id, pinned, removed: true, revision, ...winner }
  const digest = claimDigest(mac, claim)
  return { digest, id, pinned, revision, stated: assertionsDigest(mac, after), ...winner }
}

function toCompactionNote({ compaction, sources }: SealedCompaction, mac: Batch['mac']): CompactionNote {
  const { compactionId: id, outputId, sourceCount, status } = compaction
  return {
    change: status === 'undone' ? 'undone' : 'made',
    digest: compactionDigest(mac, compaction),
    id,
    // The sources come with the compaction, and stay.
    ...(sources.length === 0 ? {} : { lineage: lineageDigest(mac, sources) }),
    output: outputId,
    sources: sourceCount,
  }
}

function toFenceNote(change: SealedForgetting['fences'][number], mac: Batch['mac']): FenceNote {
  const { forgetId, added, isRemoved } = change
  const lines = added.map((fence) => [fenceDigest(mac, fence), fence.toSequence, fence.position] as const)
  return { ...(lines.length === 0 ? {} : { added: lines }), id: forgetId, ...(isRemoved ? { removed: true } : {}) }
}

function toSourceNote(event: SourceEvent): SourceNote {
  const messages = messagesDigest(event)
  return { digest: sourceDigest(event), id: event.sourceEventId, ...(messages === null ? {} : { messages }) }
}

export function toTombstoneNote({ tombstone }: Pick<SourceErasure, 'tombstone'>): string {
  return shortSha256(tombstone)
}

/** The refs in the order in which the record first names them, what was written, then ended, then rewritten. */
export function refsOf({ versions, endings, rewrites }: AuditFacts): string[] {
  return [...new Set([...versions, ...endings, ...rewrites].map((entry) => entry.memoryRef))]
}

export type WrittenNote = {
  readonly id: string
  readonly version: number
  readonly ref: string
  readonly subject?: string
  readonly digest: string
  readonly ended?: readonly [position: number, reason: string]
}

export type EndedNote = { readonly id: string; readonly version: number; readonly ref: string; readonly reason: string }

type AdminNote = {
  readonly id: string
  readonly kind: string
  readonly revision: number
  readonly change: 'created' | 'changed' | 'removed'
  readonly digest?: string
}

type ClaimNote = {
  readonly id: string
  readonly revision: number
  readonly pinned: boolean
  readonly winner?: string
  readonly removed?: true
  readonly digest?: string
  readonly stated?: string
}

type CompactionNote = {
  readonly id: string
  readonly change: 'made' | 'undone'
  readonly output: string
  readonly sources: number
  readonly digest?: string
  readonly lineage?: string
}

type FenceNote = {
  readonly id: string
  readonly added?: readonly (readonly [digest: string, toSequence: number, position: number])[]
  readonly removed?: true
}

export type SourceNote = { readonly id: string; readonly digest: string; readonly messages?: string }

/** What the body of a record may have. Records without a form have fewer members, and fewer digests. */
export type AuditBody = {
  readonly kind: string
  readonly actor: string
  readonly v?: number
  readonly admin?: readonly AdminNote[]
  readonly claims?: readonly ClaimNote[]
  readonly compactions?: readonly CompactionNote[]
  readonly compactionsErased?: readonly string[]
  readonly ended?: readonly EndedNote[]
  readonly erased?: readonly { readonly id: string; readonly version: number }[]
  readonly fences?: readonly FenceNote[]
  readonly historyFrom?: number
  /** The record stands for a position that was imported: the instant and the hash it had there. */
  readonly imported?: { readonly at: string; readonly hash: string; readonly position: number }
  readonly payloads?: readonly string[]
  readonly redactions?: readonly { readonly rule: string; readonly field: string; readonly count: number }[]
  readonly refsErased?: readonly number[]
  readonly rewritten?: readonly WrittenNote[]
  readonly runs?: readonly { readonly id: string; readonly digest: string }[]
  readonly runsPruned?: readonly string[]
  readonly sourceEvents?: readonly SourceNote[]
  readonly sourcesErased?: readonly string[]
  readonly sourcesRewritten?: readonly SourceNote[]
  readonly tombstones?: readonly string[]
  readonly written?: readonly WrittenNote[]
}
