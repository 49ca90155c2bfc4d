import type { AuditRow, Batch, Clock, RefChange, SealedEnding } from './batch.ts'
import { canonicalJson } from './canonical.ts'
import { toInstant } from './check.ts'
import { sha256 } from './digest.ts'
import type { EntryVersion } from './entry.ts'

/** What a chain begins with; no record has this hash. */
export const genesisHash = '0'.repeat(64)

/**
 * The digest by which the audit knows what an entry said: its text, tags, expiry, subject and origin. The salt is stored
 * beside them and dies with them: afterwards nobody can guess the content by hashing candidates.
 */
export function contentDigest(version: DigestedVersion): string {
  const { salt, content, tags, expiresAt, subject, origin } = version
  return sha256(`${salt}${JSON.stringify([content, tags, expiresAt, subject, origin])}`)
}

type DigestedVersion = Pick<EntryVersion, 'salt' | 'content' | 'tags' | 'expiresAt' | 'subject' | 'origin'>

type AuditFacts = {
  readonly position: number
  readonly at: number
  readonly prev: string
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
}

export function auditBatch(batch: Batch, facts: AuditFacts): AuditRow {
  const { mac } = batch
  const record = canonicalJson({
    v: 1,
    tenant: batch.tenantId,
    position: facts.position,
    at: toInstant(facts.at),
    kind: batch.kind,
    actor: batch.actor,
    written: facts.versions.map((version) => ({
      id: version.entryId,
      version: version.version,
      ref: mac(version.memoryRef),
      digest: contentDigest(version),
      ...(version.subject === null ? {} : { subject: mac(version.subject) }),
    })),
    ended: facts.endings.map((ending) => ({
      id: ending.entryId,
      version: ending.version,
      ref: mac(ending.memoryRef),
      reason: ending.endedReason,
    })),
    ...(batch.redactions.length === 0 ? {} : { redactions: batch.redactions }),
    prev: facts.prev,
  })
  return {
    position: facts.position,
    at: facts.at,
    kind: batch.kind,
    record,
    hash: sha256(record),
    changes: refChanges(facts),
  }
}

function refChanges(facts: AuditFacts): RefChange[] {
  type Change = { entryIds: Set<string>; reason?: string }
  const ids = new Map<string, Change>()
  const of = (memoryRef: string): Change => {
    const change: Change = ids.get(memoryRef) ?? { entryIds: new Set() }
    ids.set(memoryRef, change)
    return change
  }
  for (const version of facts.versions) of(version.memoryRef).entryIds.add(version.entryId)
  for (const ending of facts.endings) {
    const change = of(ending.memoryRef)
    change.entryIds.add(ending.entryId)
    change.reason = ending.endedReason
  }
  return [...ids].map(([memoryRef, { entryIds, reason }]) => ({
    memoryRef,
    entryIds: [...entryIds],
    ...(reason === undefined ? {} : { reason }),
  }))
}

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
    const fits =
      record?.tenant === this.tenantId &&
      record.position === row.position &&
      record.kind === row.kind &&
      record.at === toInstant(row.at)
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
  readonly written: readonly { readonly id: string; readonly version: number; readonly digest: string }[]
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
