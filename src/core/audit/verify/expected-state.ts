import type { TenantStatus } from '../../access/tenant-status.ts'
import type { AuditRow } from '../../commit/batch.ts'
import { parseAuditBody } from '../audit.ts'
import { type AuditBody, auditFormatVersion, type SourceNote, type WrittenNote } from '../audit-notes.ts'
import { inShard, type Shard } from './shard.ts'

export type ExpectedVersion = {
  /** The position of the record with the digest of the current text. */
  readonly at: number
  readonly digest: string
  readonly ref: string
  /** Whether the digest covers the whole row: records of the first format covered less. */
  readonly isFull: boolean
  /** Null for a version from an import of the first format: its record did not say where the version was recorded, nor whether it had ended. */
  readonly recorded: number | null
  readonly ended: readonly [position: number, reason: string] | null
}

export type ExpectedSource = {
  readonly at: number
  readonly digest: string
  /** The digest of the messages: null when they were deleted, undefined when no record has one. */
  readonly messages: string | null | undefined
  readonly isFull: boolean
  /**
   * Null while the event is not erased. The tombstone is a digest; undefined when no record has one. Records from before the instant was
   * noted say only that the event was not erased after them: `isExact` is false then.
   */
  readonly erased: { readonly tombstone: string | undefined; readonly at: number; readonly isExact: boolean } | null
}

export type ExpectedRecord = { readonly at: number; readonly revision: number; readonly digest: string | undefined }

export type ExpectedClaim = {
  readonly at: number
  readonly revision: number
  readonly winner: string | null
  readonly pinned: boolean
  readonly digest: string | undefined
  readonly stated: string | undefined
}

export type ExpectedCompaction = {
  readonly at: number
  readonly output: string
  readonly sources: number
  readonly digest: string | undefined
  readonly lineage: string | undefined
}

export type ExpectedRun = { readonly at: number; readonly digest: string }

export type ExpectedFence = { readonly at: number; readonly toSequence: number; readonly position: number }

/**
 * The rows that must be stored, derived from the bodies of the audit records alone, in their order: what a row is compared with never
 * comes from the row itself. It covers one shard, so that a large tenant is verified in several rounds of limited size.
 */
export class ExpectedState {
  readonly versions = new Map<string, ExpectedVersion>()
  readonly sources = new Map<string, ExpectedSource>()
  readonly records = new Map<string, ExpectedRecord>()
  readonly claims = new Map<string, ExpectedClaim>()
  readonly compactions = new Map<string, ExpectedCompaction>()
  readonly runs = new Map<string, ExpectedRun>()
  /** By forget, then by the digest of the fence. */
  readonly fences = new Map<string, Map<string, ExpectedFence>>()
  /** Records whose refs in clear were erased. */
  readonly refsErased = new Set<number>()
  historyFrom = 0
  /** The last instant of a record. */
  lastAt = 0
  /** What the records say of the tenant: null where none does. Records of earlier versions did not. */
  redactionVersion: number | null = null
  tenantStatus: TenantStatus | null = null
  tenantCreatedAt: string | null = null
  /** The position of the first record with a digest of every row; null until there is one. */
  coveredFrom: number | null = null
  #shard: Shard

  constructor(shard: Shard) {
    this.#shard = shard
  }

  get size(): number {
    const { versions, sources, records, claims, compactions, runs } = this
    return versions.size + sources.size + records.size + claims.size + compactions.size + runs.size
  }

  get shard(): Shard {
    return this.#shard
  }

  /** Keeps half of the shard; the other half is left to a later round. In steps, because there may be many rows. */
  *halve(): Generator<void> {
    this.#shard = { index: this.#shard.index, of: this.#shard.of * 2 }
    const { versions, sources, records, claims, compactions, runs } = this
    for (const map of [versions, sources, records, claims, compactions, runs])
      for (const key of map.keys()) {
        if (!inShard(this.#shard, idOf(key))) map.delete(key)
        yield
      }
  }

  add(row: AuditRow): void {
    const body = parseAuditBody(row)
    const isFull = (body.v ?? 1) >= auditFormatVersion
    if (isFull) this.coveredFrom ??= row.position
    this.#addVersions(body, row.position, isFull)
    this.#addSources(body, row, isFull)
    this.#addProvenance(body, row.position)
    this.#addForgetting(body, row.position)
    for (const { kind, id, revision, change, digest } of body.admin ?? [])
      this.#put(this.records, recordKey(kind, id), change === 'removed' ? null : { at: row.position, revision, digest })
    for (const { id, digest } of body.runs ?? []) this.#put(this.runs, id, { at: row.position, digest })
    for (const id of body.runsPruned ?? []) this.runs.delete(id)
    if (body.historyFrom !== undefined) this.historyFrom = body.historyFrom
    this.lastAt = Math.max(this.lastAt, row.at)
    this.redactionVersion = body.redactionVersion ?? this.redactionVersion
    this.tenantCreatedAt = body.tenantCreatedAt ?? this.tenantCreatedAt
    // A tenant whose first record says when it was stored is active until a record says otherwise.
    this.tenantStatus = body.tenantStatus ?? (body.tenantCreatedAt === undefined ? this.tenantStatus : 'active')
    if (body.tenantCreatedAt !== undefined) this.redactionVersion ??= 1
  }

  #put<Value>(map: Map<string, Value>, key: string, value: Value | null): void {
    if (value === null) map.delete(key)
    else if (inShard(this.#shard, idOf(key))) map.set(key, value)
  }

  #addVersions(
    { kind, written = [], rewritten = [], ended = [], erased = [] }: AuditBody,
    at: number,
    isFull: boolean,
  ) {
    // A version that replaces an erased one is stored after the erasure.
    for (const { id, version } of erased) this.versions.delete(versionKey(id, version))
    const toVersion = ({ digest, ref }: WrittenNote) => ({ at, digest, ref, isFull })
    for (const note of ended) {
      const known = this.versions.get(versionKey(note.id, note.version))
      if (known) this.versions.set(versionKey(note.id, note.version), { ...known, ended: [at, note.reason] })
    }
    const recorded = !isFull && kind === 'memory.imported' ? null : at
    for (const note of written) {
      const version = { ...toVersion(note), recorded, ended: note.ended ?? null }
      this.#put(this.versions, versionKey(note.id, note.version), version)
    }
    for (const note of rewritten) {
      const known = this.versions.get(versionKey(note.id, note.version))
      if (known) this.versions.set(versionKey(note.id, note.version), { ...known, ...toVersion(note) })
    }
  }

  #addSources(body: AuditBody, { position: at, at: instant }: AuditRow, isFull: boolean): void {
    const erased = { at: instant, isExact: body.erasedAt !== undefined }
    const { sourceEvents = [], payloads = [], sourcesRewritten = [], sourcesErased = [], tombstones = [] } = body
    const toSource = ({ digest, messages }: SourceNote) => ({
      at,
      digest,
      messages: isFull ? (messages ?? null) : undefined,
      isFull,
      erased: null,
    })
    for (const note of sourceEvents) this.#put(this.sources, note.id, toSource(note))
    for (const id of payloads) this.#change(this.sources, id, (known) => ({ ...known, messages: null }))
    for (const note of sourcesRewritten)
      this.#change(this.sources, note.id, (known) => (known.erased ? known : toSource(note)))
    for (const [index, id] of sourcesErased.entries())
      this.#change(this.sources, id, (known) => ({ ...known, at, erased: { tombstone: tombstones[index], ...erased } }))
  }

  #addProvenance({ claims = [], compactions = [], compactionsErased = [] }: AuditBody, at: number): void {
    for (const { id, removed, revision, winner = null, pinned, digest, stated } of claims)
      this.#put(this.claims, id, removed ? null : { at, revision, winner, pinned, digest, stated })
    for (const { id, output, sources, digest, lineage } of compactions) {
      const known = this.compactions.get(id)
      this.#put(this.compactions, id, { at, output, sources, digest, lineage: lineage ?? known?.lineage })
    }
    for (const id of compactionsErased) this.compactions.delete(id)
  }

  #addForgetting({ fences = [], refsErased = [] }: AuditBody, at: number): void {
    for (const { id, added = [], removed } of fences) {
      if (removed) this.fences.delete(id)
      const known = this.fences.get(id) ?? new Map<string, ExpectedFence>()
      for (const [digest, toSequence, position] of added) {
        const before = known.get(digest)
        const end = Math.max(before?.toSequence ?? 0, toSequence)
        known.set(digest, { at, toSequence: end, position: before?.position ?? position })
      }
      if (known.size > 0) this.fences.set(id, known)
    }
    for (const position of refsErased) this.refsErased.add(position)
  }

  #change<Value>(map: Map<string, Value>, key: string, change: (known: Value) => Value): void {
    const known = map.get(key)
    if (known !== undefined) map.set(key, change(known))
  }
}

/** The key of a version in `ExpectedState.versions`. */
export function versionKey(id: string, version: number): string {
  return `${id}\u0000${version}`
}

/** The key of an administered record in `ExpectedState.records`. */
export function recordKey(kind: string, id: string): string {
  return `${id}\u0000${kind}`
}

/** The id at the beginning of a key. It determines the shard of a row. */
function idOf(key: string): string {
  const end = key.indexOf('\u0000')
  return end === -1 ? key : key.slice(0, end)
}
