import type { EntryKey, EntryVersion } from '../entries/entry.ts'
import type { Job } from '../jobs/job.ts'
import type { RedactionHit } from '../redaction/redaction.ts'
import type { Run } from '../run/run.ts'
import type { KeptRefusal } from './kept-refusal.ts'
import type { PartMembers, PartRows, PartState } from './parts/index.ts'
import type { Mac } from './parts/part.ts'
import type { VersionKey } from './parts/stored-versions.ts'

export type { Ending, EntryHead, Expectation, NewEntry, Revision, SealedEnding } from './parts/entries.ts'
export { keyOf } from './parts/entries.ts'
export { noMembers as nothing } from './parts/index.ts'
export type { SealedErasure, SealedRewrite, VersionKey } from './parts/stored-versions.ts'

/** The readers of an entry changed: its versions are stored again with them. */
export const readersChangedKind = 'memory.readers_changed'

/** Why readable memory changed; the name that the audit and the change stream use. */
export type ChangeKind =
  | 'memory.written'
  | 'memory.revised'
  | 'memory.deleted'
  | 'memory.redacted'
  | typeof readersChangedKind
  | 'memory.erased'
  | 'memory.expired'
  | `history.${string}`
  | 'memory.compacted'
  | 'memory.consolidated'
  | 'memory.compaction_undone'
  | 'memory.imported'
  | 'workspace.updated'
  | `commitment.${string}`
  | 'heartbeat.evaluated'
  | 'heartbeat.stateChanged'
  | `forget.${string}`
  | `source.${string}`
  | `claim.${string}`
  | `admin.${string}`
  | 'containment.applied'
  | 'containment.released'

/** The tenant's logical clock. It is read and advanced under one lock, so positions become visible in their order. */
export type Clock = {
  readonly position: number
  readonly lastHash: string
  readonly lastCreatedAt: number
  readonly redactionVersion: number
  /** Memory as of an earlier position can no longer be read: versions that only those positions show may be deleted. */
  readonly historyFrom: number
}

export type Idempotency = {
  readonly key: string
  readonly digest: string
  /** The key of the row that replaces this one once what the call stored was forgotten. */
  readonly tombstone: string
}

/** One logical change, decided before it reaches the database: all of it is stored, or none. `parts` lists what it can store. */
export type Batch = PartMembers & {
  readonly tenantId: string
  readonly actor: string
  readonly kind: ChangeKind
  readonly idempotency: Idempotency | null
  /** The call was refused, and its idempotency key remembers that: the batch has nothing else. */
  readonly refusal?: KeptRefusal
  readonly mac: Mac
  readonly redactionVersion: number
  readonly redactions: readonly RedactionHit[]
  /** When the tenant was stored: its first record says so. */
  readonly tenantCreatedAt?: number
}

/** What the tenant's lock showed: the clock, and the stored rows that the parts of the batch name. */
export type CommitState = PartState & { readonly clock: Clock }

/** What a commit did, in identifiers only: what an idempotency key remembers. */
export type Outcome = {
  readonly position: number
  readonly entries: readonly VersionKey[]
  readonly ended: readonly EntryKey[]
  readonly jobs: readonly string[]
  readonly admin: readonly string[]
  /** Absent in outcomes stored before there were runs. */
  readonly runs?: readonly string[]
  /** Why the call was refused. Absent when it was not. */
  readonly refusal?: KeptRefusal
}

export type Committed = {
  readonly outcome: Outcome
  /** True when the key was known and this is the first call's outcome. */
  readonly repeated: boolean
  /** The versions just stored; empty when repeated. */
  readonly versions: readonly EntryVersion[]
  /** The runs as they are now; empty when repeated. */
  readonly runs: readonly Run[]
  readonly jobs: readonly Job[]
  /** How many versions were deleted. */
  readonly erased: number
  readonly runsPruned: number
  readonly clock: Clock | null
}

export type AuditRow = {
  readonly position: number
  readonly at: number
  /** Canonical JSON, content-free. The hash covers it together with instant, position, previous hash and tenant. */
  readonly body: string
  readonly hash: string
  /** The refs that the record names by keyed digest, in clear and in its order; erasable, so not part of the chain. */
  readonly refs: readonly string[] | null
}

/** A batch with everything that only the lock can decide: the rows that an adapter has to write. */
export type Sealed = PartRows & {
  /** The clock after the batch. */
  readonly clock: Clock
  /** Whether the batch took a position. */
  readonly moved: boolean
  readonly audit: AuditRow | null
  /** Records of imported positions, which precede the batch's own. */
  readonly auditBefore: readonly AuditRow[]
  readonly outcome: Outcome
}

/** Whether a batch may change administered records: keys, settings, writers and so on. What is cached of them is then dropped. */
export function mayChangeRecords(batch: Pick<Batch, 'admin' | 'imported'>): boolean {
  return batch.admin.length > 0 || batch.imported !== undefined
}

/** What the caller of a commit gets for a sealed batch. */
export function toCommitted(sealed: Sealed): Committed {
  const { outcome, versions, jobs } = sealed
  return {
    outcome,
    repeated: false,
    versions,
    runs: sealed.runs.map(({ run }) => run),
    jobs,
    erased: sealed.erasures.length,
    runsPruned: sealed.runsPruned.length,
    clock: sealed.clock,
  }
}

/** What the caller gets whose idempotency key is known. */
export function toRepeated(outcome: Outcome): Committed {
  return { outcome, repeated: true, versions: [], runs: [], jobs: [], erased: 0, runsPruned: 0, clock: null }
}
