import type { AuditRow, Batch, Clock, SealedEnding } from './batch.ts'
import { toInstant } from './check.ts'
import { sha256, shortSha256 } from './digest.ts'
import type { EntryVersion } from './entry.ts'

/** What a chain begins with; no record has this hash. */
export const genesisHash = '0'.repeat(64)

/**
 * The digest by which the audit knows what an entry said: its text, tags, expiry, subject and origin. The salt is stored
 * beside them and dies with them: afterwards nobody can guess the content by hashing candidates.
 */
export function contentDigest(version: DigestedVersion): string {
  const { salt, content, tags, expiresAt, subject, origin } = version
  return shortSha256(`${salt}${JSON.stringify([content, tags, expiresAt, subject, origin])}`)
}

type DigestedVersion = Pick<EntryVersion, 'salt' | 'content' | 'tags' | 'expiresAt' | 'subject' | 'origin'>

type AuditFacts = {
  readonly position: number
  readonly at: number
  readonly prev: string
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
}

/**
 * The record of a batch. Every object below has its keys in alphabetical order, so plain JSON is already the canonical
 * form (RFC 8785) and costs a fraction of sorting them each time; a test compares the two.
 */
export function auditBatch(batch: Batch, facts: AuditFacts): AuditRow {
  const { mac } = batch
  const record = JSON.stringify({
    actor: batch.actor,
    at: toInstant(facts.at),
    ended: facts.endings.map((ending) => ({
      id: ending.entryId,
      reason: ending.endedReason,
      ref: mac(ending.memoryRef),
      version: ending.version,
    })),
    kind: batch.kind,
    position: facts.position,
    prev: facts.prev,
    ...(batch.redactions.length === 0 ? {} : { redactions: batch.redactions }),
    tenant: batch.tenantId,
    v: 1,
    written: facts.versions.map((version) => ({
      digest: contentDigest(version),
      id: version.entryId,
      ref: mac(version.memoryRef),
      ...(version.subject === null ? {} : { subject: mac(version.subject) }),
      version: version.version,
    })),
  })
  return { position: facts.position, at: facts.at, record, hash: sha256(record), refs: refsOf(facts) }
}

/** The refs in the order in which the record first names them, what was written before what was ended. */
function refsOf({ versions, endings }: AuditFacts): string[] {
  return [...new Set([...versions, ...endings].map((entry) => entry.memoryRef))]
}

/** What a record says about each ref, with the refs in clear; nothing when they were erased. */
export function changesOf(row: AuditRow): RefChange[] {
  const record = parseRecord(row.record)
  if (record === null || row.refs === null) return []
  const byRef = new Map<string, { entryIds: Set<string>; reason?: string }>()
  for (const { id, ref, reason } of [...record.written, ...record.ended] as {
    id: string
    ref: string
    reason?: string
  }[]) {
    const change = byRef.get(ref) ?? { entryIds: new Set<string>() }
    change.entryIds.add(id)
    byRef.set(ref, reason === undefined ? change : { ...change, reason })
  }
  return [...byRef.values()].map(({ entryIds, ...change }, index) => ({
    memoryRef: row.refs?.[index] ?? '',
    entryIds: [...entryIds],
    ...change,
  }))
}

export function kindOf(row: AuditRow): string {
  return parseRecord(row.record)?.kind ?? 'unknown'
}

/** Which entries of one ref a position changed: identifiers only. */
export type RefChange = { readonly memoryRef: string; readonly entryIds: readonly string[]; readonly reason?: string }

/** The end of a chain at some moment: kept elsewhere, it proves later that nothing before it was changed. */
export type AuditHead = { readonly tenant: string; readonly position: number; readonly hash: string }

export type AuditFault = {
  readonly position: number
  readonly problem: 'missing' | 'edited' | 'relinked' | 'tail' | 'head' | 'content'
}

export type AuditVerdict = {
  readonly ok: boolean
  readonly from: number
  readonly to: number
  readonly checked: number
  readonly fault?: AuditFault
}

/** Follows a chain record by record and stops at the first one that does not fit. */
export class ChainChecker {
  readonly tenantId: string
  #expected: number
  #prev: string | null
  #checked = 0

  /** Without a known previous hash (a check that starts in the middle) the first link is taken as given. */
  constructor(tenantId: string, from: number, prev: string | null) {
    this.tenantId = tenantId
    this.#expected = from
    this.#prev = prev
  }

  get checked(): number {
    return this.#checked
  }

  get lastHash(): string | null {
    return this.#prev
  }

  check(row: AuditRow): AuditFault | null {
    const position = this.#expected
    if (row.position !== position) return { position, problem: 'missing' }
    if (sha256(row.record) !== row.hash) return { position, problem: 'edited' }
    const record = parseRecord(row.record)
    const fits = record?.tenant === this.tenantId && record.position === row.position && record.at === toInstant(row.at)
    if (!fits) return { position, problem: 'edited' }
    if (this.#prev !== null && record.prev !== this.#prev) return { position, problem: 'relinked' }
    this.#prev = row.hash
    this.#expected += 1
    this.#checked += 1
    return null
  }
}

export type AuditRecord = {
  readonly tenant: string
  readonly position: number
  readonly at: string
  readonly kind: string
  readonly actor: string
  readonly written: readonly {
    readonly id: string
    readonly version: number
    readonly ref: string
    readonly digest: string
  }[]
  readonly ended: readonly {
    readonly id: string
    readonly version: number
    readonly ref: string
    readonly reason: string
  }[]
  readonly prev: string
}

export function parseRecord(record: string): AuditRecord | null {
  try {
    return JSON.parse(record) as AuditRecord
  } catch {
    return null
  }
}

/** The end of the chain must be where the clock says: a cut-off tail leaves a chain that is sound in itself. */
export function checkTail(clock: Clock, position: number, lastHash: string | null): AuditFault | null {
  return clock.position === position && clock.lastHash === lastHash
    ? null
    : { position: clock.position, problem: 'tail' }
}
