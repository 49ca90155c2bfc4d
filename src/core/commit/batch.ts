import type { AdminChange, SealedAdmin } from '../admin.ts'
import type { CompactionStep, SealedCompaction } from '../compaction/compaction.ts'
import type { EntryKey, EntryVersion, Origin, ParsedDraft, Place } from '../entries/entry.ts'
import type { Forgetting, SealedForgetting } from '../forget/forgetting.ts'
import type { Job, NewJob } from '../jobs/job.ts'
import type { Imported } from '../portable/imported.ts'
import type { Classification } from '../provenance/category.ts'
import type { ClaimStep } from '../provenance/claim-step.ts'
import type { SealedClaim } from '../provenance/seal-claim.ts'
import type { NewSourceEvent, SourceEvent, SourceRewrite } from '../provenance/source-event.ts'
import type { RedactionHit } from '../redaction/redaction.ts'
import type { Run, RunStep, SealedRun } from '../run/run.ts'

/** Why readable memory changed; the name that the audit and the change stream use. */
export type ChangeKind =
  | 'memory.written'
  | 'memory.revised'
  | 'memory.deleted'
  | 'memory.redacted'
  | 'memory.erased'
  | 'memory.expired'
  | `history.${string}`
  | 'memory.compacted'
  | 'memory.compaction_undone'
  | 'memory.imported'
  | `forget.${string}`
  | `source.${string}`
  | `claim.${string}`
  | `admin.${string}`

/** The tenant's logical clock. It is read and advanced under one lock, so positions become visible in their order. */
export type Clock = {
  readonly position: number
  readonly lastHash: string
  readonly lastCreatedAt: number
  readonly redactionVersion: number
  /** Memory as of an earlier position can no longer be read: what only those positions show may be gone. */
  readonly historyFrom: number
}

/** What a draft has beyond these may be left out by the host's own entries. */
export type NewEntry = EntryKey &
  Pick<ParsedDraft, 'content' | 'tags' | 'expiresAt' | 'subject'> &
  Partial<ParsedDraft> & {
    readonly origin: Origin
    readonly salt: string
    readonly classification?: Classification
    /** Why it ends in the very moment it begins: a content that loses its claim from the start. */
    readonly endsAtOnce?: string
    /** Made from other entries, and clean already: the redactor must find nothing in it, or nothing is stored. */
    readonly isDerived?: true
  }

/** The next version of an entry; the id, the age and the place in the list stay. */
export type Revision = EntryKey & {
  /** Whether it may bring back an entry that has ended, as undoing does. An ended version itself is never reopened. */
  readonly revives: boolean
  readonly content: string
  readonly tags: readonly string[]
  readonly origin: Origin
  readonly salt: string
  /** Left out, it stays as it is. */
  readonly classification?: Classification
  /** Why it ends in the very moment it begins: the mark that an entry which had ended already is deleted. */
  readonly endsAtOnce?: string
}

/** Takes a secret out of a stored version in place. The salt names the text it was read from: if that changed, nothing is done. */
export type Rewrite = VersionKey & {
  readonly content: string
  readonly tags: readonly string[]
  readonly readSalt: string
  readonly salt: string
}

/** Deletes a stored version as if it had never been: its text, its tags and everything that hangs on it. What is not there is passed over. */
export type Erasure = VersionKey

export type Ending = EntryKey & { readonly reason: string }

/** Commit only if the entry still has this version; with `isEnded`, only if that version is the newest and is over. */
export type Expectation = EntryKey & { readonly version: number; readonly isEnded?: true }

export type Idempotency = {
  readonly key: string
  readonly digest: string
  /** The key of the row that stands here instead once what the call stored was forgotten. */
  readonly tombstone: string
}

/** One logical change, decided before it reaches the database: all of it is stored, or none. */
export type Batch = {
  readonly tenantId: string
  readonly actor: string
  readonly kind: ChangeKind
  readonly puts: readonly NewEntry[]
  readonly revisions: readonly Revision[]
  readonly ends: readonly Ending[]
  readonly rewrites: readonly Rewrite[]
  readonly erasures: readonly Erasure[]
  /** Where readable history is to begin from now on; null leaves it. It goes no further than runs under way allow. */
  readonly historyFrom: number | null
  /** Runs that are over, to be deleted with their events and calls. Those that a run under way may need are passed over. */
  readonly runsPruned: readonly string[]
  readonly expects: readonly Expectation[]
  readonly jobs: readonly NewJob[]
  readonly admin: readonly AdminChange[]
  /** Whether texts must be redacted anew from now on: secrets, rules or the policy change. */
  readonly changesRedaction: boolean
  /** The job that this batch completes; if its lease is gone, nothing of the batch is stored. */
  readonly finish: { readonly jobId: string; readonly leaseToken: string; readonly result: unknown } | null
  /** The job that this batch is a part of; if its lease is gone, nothing of the batch is stored. */
  readonly holds: { readonly jobId: string; readonly leaseToken: string } | null
  /** The job that this batch puts aside until a later instant; if its lease is gone, nothing of the batch is stored. */
  readonly park: JobPark | null
  /** Jobs that are to look again at once, because this batch changes what they wait for. */
  readonly wakes: readonly string[]
  readonly runs: readonly RunStep[]
  readonly sourceEvents: readonly NewSourceEvent[]
  /** Source events whose messages are no longer kept. */
  readonly payloadsRedacted: readonly string[]
  /** What a pass over stored data did, in numbers. It is recorded also when all of them are 0. */
  readonly counts: Readonly<Record<string, number>> | null
  readonly sourceRewrites: readonly SourceRewrite[]
  readonly claims: readonly ClaimStep[]
  readonly compactions: readonly CompactionStep[]
  readonly forgetting?: Forgetting
  /** The source event that this batch makes memories of: if it was forgotten meanwhile, nothing of the batch is stored. */
  readonly tells?: string
  readonly idempotency: Idempotency | null
  /** Rows of another tenant's history, from an export. */
  readonly imported?: Imported
  /** Keyed digests of memoryRefs and subjects, so that the audit can name them without holding them. */
  readonly mac: (text: string) => string
  readonly redactionVersion: number
  readonly redactions: readonly RedactionHit[]
}

export type JobPark = {
  readonly jobId: string
  readonly leaseToken: string
  readonly dueAt: number
  /** Runs it waits for: if one of them has ended by now, there is nothing to wait for. */
  readonly waitsFor: readonly string[]
}

/** The newest version of an entry, as far as a decision needs it. */
export type EntryHead = Omit<EntryVersion, 'content' | 'salt' | 'origin' | 'recordedPosition' | 'digestPosition'>

export type VersionKey = EntryKey & { readonly version: number }

/** What a commit did, in identifiers only: what an idempotency key remembers. */
export type Outcome = {
  readonly position: number
  readonly entries: readonly VersionKey[]
  readonly ended: readonly EntryKey[]
  readonly jobs: readonly string[]
  readonly admin: readonly string[]
  /** Absent in outcomes stored before there were runs. */
  readonly runs?: readonly string[]
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

/** A batch with everything only the lock can decide: what an adapter has to write down. */
export type Sealed = {
  readonly clock: Clock
  readonly moved: boolean
  readonly versions: readonly EntryVersion[]
  readonly endings: readonly SealedEnding[]
  readonly rewrites: readonly SealedRewrite[]
  readonly erasures: readonly SealedErasure[]
  readonly runsPruned: readonly string[]
  readonly audit: AuditRow | null
  /** Records of imported positions, which stand before the batch's own. */
  readonly auditBefore: readonly AuditRow[]
  /** What is added to a version's place in the batch: makes it unique among several batches at one position. */
  readonly placeFrom: number
  readonly admin: readonly SealedAdmin[]
  readonly jobs: readonly Job[]
  readonly runs: readonly SealedRun[]
  readonly sourceEvents: readonly SourceEvent[]
  readonly payloadsRedacted: readonly string[]
  readonly sourceRewrites: readonly SourceRewrite[]
  readonly claims: readonly SealedClaim[]
  readonly compactions: readonly SealedCompaction[]
  readonly forgetting: SealedForgetting
  readonly outcome: Outcome
}

/** How a sealed batch is told to its caller. */
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

export function toRepeated(outcome: Outcome): Committed {
  return { outcome, repeated: true, versions: [], runs: [], jobs: [], erased: 0, runsPruned: 0, clock: null }
}

export type SealedEnding = EntryHead & { readonly endedPosition: number; readonly endedReason: string }

/** The version as it will be, and the tags it had. */
export type SealedRewrite = EntryVersion & { readonly oldTags: readonly string[] }

/** A version that goes, as far as a store needs it to find everything of it. */
export type SealedErasure = VersionKey & Place & { readonly tags: readonly string[] }

/** One text for an entry's key. The separator cannot occur in either part. */
export function keyOf(key: EntryKey): string {
  return `${key.memoryRef}\u0000${key.entryId}`
}

/** The parts of a batch that changes nothing: whoever makes one names only what it does. */
export const nothing = {
  puts: [],
  revisions: [],
  ends: [],
  rewrites: [],
  erasures: [],
  historyFrom: null,
  runsPruned: [],
  expects: [],
  jobs: [],
  admin: [],
  changesRedaction: false,
  runs: [],
  holds: null,
  park: null,
  wakes: [],
  sourceEvents: [],
  payloadsRedacted: [],
  counts: null,
  sourceRewrites: [],
  claims: [],
  compactions: [],
} as const satisfies Partial<Batch>
