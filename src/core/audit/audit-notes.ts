import type { TenantStatus } from '../access/tenant-status.ts'
import { toInstant } from '../check.ts'
import type { Trust } from '../entries/trust.ts'
import type { SourceErasure } from '../forget/forgetting.ts'
import type { HeartbeatNote } from '../heartbeats/heartbeat.ts'
import type { ImportedPosition } from '../portable/imported-rows.ts'
import { shortSha256 } from './digest.ts'

/** The format version of the body (`v`). Bodies without one are of the first format, in which not every stored row had a digest. */
export const auditFormatVersion = 2

/** The note of an imported position: the instant and the hash that it had in the exported chain. */
export function toPositionNote({ at, hash, position }: ImportedPosition) {
  return { at: toInstant(at), hash, position }
}

/** The body of an imported position that is not the last of its batch. */
export function importedBody(actor: string, row: ImportedPosition): string {
  return JSON.stringify({ actor, imported: toPositionNote(row), kind: 'memory.imported', v: auditFormatVersion })
}

/** The digest of a tombstone, by which `verify` recognises it. */
export function toTombstoneNote({ tombstone }: Pick<SourceErasure, 'tombstone'>): string {
  return shortSha256(tombstone)
}

/** A written or rewritten version in the body of an audit record. */
export type WrittenNote = {
  readonly id: string
  readonly version: number
  readonly ref: string
  readonly subject?: string
  /** Left out for the default class. */
  readonly trust?: Trust
  readonly digest: string
  readonly ended?: readonly [position: number, reason: string]
}

/** An ended version in the body of an audit record. */
export type EndedNote = { readonly id: string; readonly version: number; readonly ref: string; readonly reason: string }

/** A changed administered record in the body of an audit record. */
export type AdminNote = {
  readonly id: string
  readonly kind: string
  readonly revision: number
  readonly change: 'created' | 'changed' | 'removed'
  readonly digest?: string
}

/** A changed claim in the body of an audit record. `stated` is the digest of its assertions. */
export type ClaimNote = {
  readonly id: string
  readonly revision: number
  readonly pinned: boolean
  readonly winner?: string
  readonly removed?: true
  readonly digest?: string
  readonly stated?: string
}

/** A compaction in the body of an audit record. */
export type CompactionNote = {
  readonly id: string
  readonly change: 'made' | 'undone'
  readonly output: string
  readonly sources: number
  readonly digest?: string
  readonly lineage?: string
}

/** The fences that a forget set or removed, in the body of an audit record. */
export type FenceNote = {
  readonly id: string
  readonly added?: readonly (readonly [digest: string, toSequence: number, position: number])[]
  readonly removed?: true
}

/** A source event in the body of an audit record. */
export type SourceNote = { readonly id: string; readonly digest: string; readonly messages?: string }

/** The body of an audit record. Bodies of the first format have fewer members and fewer digests. */
export type AuditBody = {
  readonly kind: string
  readonly actor: string
  readonly v?: number
  readonly admin?: readonly AdminNote[]
  readonly claims?: readonly ClaimNote[]
  readonly compactions?: readonly CompactionNote[]
  readonly compactionsErased?: readonly string[]
  readonly ended?: readonly EndedNote[]
  /** When the sources that it names were erased. */
  readonly erasedAt?: string
  readonly erased?: readonly { readonly id: string; readonly version: number }[]
  readonly fences?: readonly FenceNote[]
  /** A tick of a heartbeat. */
  readonly heartbeat?: HeartbeatNote
  readonly historyFrom?: number
  /** Of an imported position: the instant and the hash that it had in the exported chain. */
  readonly imported?: { readonly at: string; readonly hash: string; readonly position: number }
  readonly payloads?: readonly string[]
  readonly redactions?: readonly { readonly rule: string; readonly field: string; readonly count: number }[]
  /** The version of the redaction from this record on. */
  readonly redactionVersion?: number
  readonly refsErased?: readonly number[]
  readonly rewritten?: readonly WrittenNote[]
  readonly runs?: readonly { readonly id: string; readonly digest: string }[]
  readonly runsPruned?: readonly string[]
  readonly sourceEvents?: readonly SourceNote[]
  readonly sourcesErased?: readonly string[]
  readonly sourcesRewritten?: readonly SourceNote[]
  /** When the tenant was stored; in its first record. */
  readonly tenantCreatedAt?: string
  readonly tenantStatus?: TenantStatus
  readonly tombstones?: readonly string[]
  readonly written?: readonly WrittenNote[]
}
